import { test } from 'node:test'
import { budget } from '../support/budget.ts'
import { startProgram } from '../support/gatehouse-process.ts'
import { assertAnnounces } from './announcing-bot.ts'
import { folderOf } from './example-program.ts'

test('our choice: examples/discord-js, started with npm start, announces webhooks', async (t) => {
  const folder = await folderOf('discord-js', { newest: budget > 1 })
  await assertAnnounces(t, (env) => startProgram(t, ['npm', 'start'], env, folder))
})
