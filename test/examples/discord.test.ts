import { join } from 'node:path'
import { test } from 'node:test'
import { budget } from '../support/budget.ts'
import { startProgram } from '../support/gatehouse-process.ts'
import { python } from '../support/python.ts'
import { assertAnnounces } from './announcing-bot.ts'
import { folderOf, root } from './example-program.ts'

test('our choice: examples/discord-js, started with npm start, announces webhooks', async (t) => {
  const folder = await folderOf('discord-js', { newest: budget > 1 })
  await assertAnnounces(t, (env) => startProgram(t, ['npm', 'start'], env, { cwd: folder }))
})

/** Runs the example against a stand-in for Discord, whose URL discord.py does not take as an option. */
const program = `
import os, runpy, discord, yarl
api = os.environ.get("DISCORD_API")
if api:
    discord.http.Route.BASE = api + "/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(api.replace("http:", "ws:"))
runpy.run_path("bot.py", run_name="__main__")
`

test('our choice: examples/discord-py announces webhooks', async (t) => {
  // Users install the package of these sources.
  const installed = { PYTHONPATH: join(root, 'clients/python') }
  const folder = join(root, 'examples/discord-py')
  await assertAnnounces(t, (env) =>
    startProgram(
      t,
      'DISCORD_API' in env ? [python(), '-c', program] : [python(), 'bot.py'],
      { ...env, ...installed },
      { cwd: folder },
    ),
  )
})
