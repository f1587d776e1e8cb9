import { pipeline } from 'node:stream/promises'
import { printableLine } from '../../clients/cli/src/printable.ts'
import { explainUnreachable } from '../../clients/cli/src/request.ts'
import type { Config } from '../config/config.ts'
import { loopbackOf, reachableUrl } from '../config/surface-address.ts'
import * as limits from '../domain/limits/limits.ts'
import { isReaderGone } from './closed-output.ts'
import type { AccessCommand } from './command-line.ts'
import { operatorKeyOf, operatorKeyPath } from './keys.ts'
import { configured, exitCodes, failed, reasonOf, StartFault } from './start-fault.ts'

const pastTense: Readonly<Record<Exclude<AccessCommand['action'], 'export'>, string>> = {
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
  if (action === 'export') return printExport(await callControl(config, 'GET', `${path}/export`))
  if (action === 'delete') await callControl(config, 'DELETE', cascade ? `${path}?cascade=true` : path)
  else await callControl(config, 'POST', `${path}/${action}`)
  process.stdout.write(`${pastTense[action]} ${name} ${id}.\n`)
  return exitCodes.ok
}

interface ListedBot {
  id: string
  state: string
  runtimeConnected: boolean
  waiting: number
  ownerId: string
  name: string
}

interface ListedQueue {
  botId: string | null
  subscriptionId: string | null
  waiting: number
  bytes: number
}

/** `gatehouse bots`: prints all bots, newest first, or only those without a runtime. */
export async function listBots({ withoutRuntime }: { withoutRuntime: boolean }): Promise<number> {
  const bots = await allItems<ListedBot>(
    `/v1/bots?limit=${limits.listItemsMax}${withoutRuntime ? '&runtimeConnected=false' : ''}`,
  )
  return printTable(
    ['BOT', 'STATE', 'RUNTIME', 'WAITING', 'OWNER', 'NAME'],
    bots.map(({ id, state, runtimeConnected, waiting, ownerId, name }) => [
      ...[id, state, runtimeConnected ? 'yes' : 'no', String(waiting), ownerId, name],
    ]),
  )
}

/** `gatehouse queues`: prints the queues with waiting events, the fullest first. */
export async function listQueues(): Promise<number> {
  const queues = await allItems<ListedQueue>(`/v1/queues?limit=${limits.listItemsMax}`)
  return printTable(
    ['QUEUE', 'WAITING', 'BYTES'],
    queues.map(({ botId, subscriptionId, waiting, bytes }) => [
      botId === null ? `subscription ${subscriptionId}` : `bot ${botId}`,
      ...[waiting, bytes].map(String),
    ]),
  )
}

/**
 * Calls the control API of the running service, and returns the response if its status is successful.
 *
 * @param path with query, such as `/v1/bots?limit=200`.
 * @throws StartFault if there is no response, or if its status is not successful.
 */
export async function callControl(config: Config, method: string, path: string): Promise<Response> {
  const key = operatorKeyOf(config)
  const url = new URL(path, await controlUrl(config))
  let response: Response
  try {
    response = await fetch(url, { method, headers: { authorization: `Bearer ${key}` }, redirect: 'manual' })
  } catch (error) {
    throw new StartFault(exitCodes.failed, [
      explainUnreachable(error as Error, url),
      'this command calls the running service: start it, or set CONTROL_URL to its control surface',
    ])
  }
  if (response.ok) return response
  const detail = await detailOf(response)
  if (response.status === 401 && detail !== undefined) {
    const source = config.operatorKey === undefined ? operatorKeyPath(config) : 'OPERATOR_KEY'
    throw failed(
      `${url.origin} rejected the operator key from ${source}; run the command with the environment of the ` +
        'service, or set OPERATOR_KEY to a valid key',
    )
  }
  throw failed(detail ?? `${url.origin} responded ${response.status}; is CONTROL_URL the control surface of Gatehouse?`)
}

/** A loopback `CONTROL_URL` means the service of this environment, which may listen on another address. */
async function controlUrl({ control }: Config): Promise<string> {
  const loopback = loopbackOf(new URL(control.url))
  return loopback === undefined || loopback === control.host ? control.url : reachableUrl(control)
}

async function printExport({ body }: Response): Promise<number> {
  try {
    await pipeline(body ?? [], process.stdout, { end: false })
    process.stdout.write('\n')
  } catch (error) {
    if (isReaderGone(error)) return exitCodes.ok
    throw failed(`the export is incomplete (${reasonOf(error)}); repeat the command`, error)
  }
  return exitCodes.ok
}

async function allItems<Item>(path: string): Promise<Item[]> {
  const config = configured()
  const items: Item[] = []
  let after = ''
  for (;;) {
    const response = await callControl(config, 'GET', `${path}${after}`)
    const page = (await response.json()) as { items: Item[]; next: string | null }
    items.push(...page.items)
    if (page.next === null) return items
    after = `&after=${page.next}`
  }
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): number {
  const lines = [head, ...rows.map((row) => row.map(printableLine))]
  const widths = head.map((_, column) => lines.reduce((widest, line) => Math.max(widest, line[column]?.length ?? 0), 0))
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  process.stdout.write(`${text.join('\n')}\n`)
  return exitCodes.ok
}

async function detailOf(response: Response): Promise<string | undefined> {
  const text = await response.text()
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return undefined
  const { detail } = JSON.parse(text) as { detail: string }
  return printableLine(detail)
}
