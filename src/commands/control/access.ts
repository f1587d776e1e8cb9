import { pipeline } from 'node:stream/promises'
import { isReaderGone } from '../closed-output.ts'
import type { AccessCommand } from '../command-line.ts'
import { configured } from '../configured.ts'
import { exitCodes, reasonOf, StartFault } from '../start-fault.ts'
import { callControl } from './control-api.ts'

const done: Readonly<Record<Exclude<AccessCommand['action'], 'export'>, string>> = {
  delete: 'Deleted',
  disable: 'Disabled',
  enable: 'Enabled',
  'end-sessions': 'Ended all sessions of',
  'revoke-tokens': 'Revoked all tokens of',
}

/** Runs `gatehouse user` or `gatehouse application`. Resolves with the exit code. */
export async function runAccessCommand({ name, action, id, cascade }: AccessCommand): Promise<number> {
  const config = configured()
  const path = `/v1/${name}s/${id}`
  if (action === 'export') return print(await callControl(config, 'GET', `${path}/export`))
  if (action === 'delete') await callControl(config, 'DELETE', cascade ? `${path}?cascade=true` : path)
  else await callControl(config, 'POST', `${path}/${action}`)
  process.stdout.write(`${done[action]} ${name} ${id}.\n`)
  return exitCodes.ok
}

async function print({ body }: Response): Promise<number> {
  try {
    await pipeline(body ?? [], process.stdout, { end: false })
    process.stdout.write('\n')
  } catch (error) {
    if (isReaderGone(error)) return exitCodes.ok
    throw new StartFault(exitCodes.failed, [`the export is incomplete (${reasonOf(error)}); repeat the command`], error)
  }
  return exitCodes.ok
}
