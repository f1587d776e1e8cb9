import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { withQueue } from '../support/bot-deliveries.ts'
import { makeToken, provision } from '../support/people.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/owner-api.md'), 'utf8')
const run = promisify(execFile)

test('our choice: each command in docs/owner-api.md succeeds when run as written, one after another', async (t) => {
  const { world, as, connect, deadLetter } = await withQueue(t, { OWNER_FLOWS: 'on' })
  await provision(world, 'DELETE', '/v1/bots/bot-1/flows/orders')
  const token = await makeToken(await as('ada'), world)
  await deadLetter(await connect(), 'an order', 'other')
  const folder = temporaryFolder(t)

  const [exports = '', ...blocks] = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
  assert.equal(exports, 'export AUTH="Authorization: Bearer svc_pat_…"\nexport API={base_url}/api/v1 BOT={botId}\n')
  const variables = exports.replace('svc_pat_…', token).replace('{botId}', 'bot-1')
  const code = [variables, ...blocks].join('').replaceAll('{base_url}', world.baseUrl)
  // Prints the status of each call in a line of its own, after its body.
  const commands = code
    .replaceAll('curl -s ', String.raw`curl -s -w '\nstatus %{http_code}\n' `)
    .replaceAll(/> (\w+\.json)/g, '| tee raw | head -1 > $1; cat raw')
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  })
  const statuses = [...stdout.matchAll(/^status (\d+)$/gm)].map(([, status]) => Number(status))
  assert.equal(statuses.length, code.split('curl -s ').length - 1)
  assert.ok(statuses.length > 12)
  const failed = statuses.filter((status) => status < 200 || status > 299)
  assert.deepEqual(failed, [], stdout)
})
