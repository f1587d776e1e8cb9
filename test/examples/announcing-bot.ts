import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type ListeningBot, makeRuntime, provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import type { RunningProgram } from '../support/gatehouse-process.ts'
import { type Answer, ada, type Browser, provision, signedIn } from '../support/people.ts'
import { openStandInDiscord } from '../support/stand-in-discord.ts'
import { openWorld, type World } from '../support/world.ts'
import { root } from './example-program.ts'

/** Starts an example bot with these variables, in addition to those that the demo prints. */
type Start = (env: Record<string, string>) => RunningProgram

/** Sends a webhook with `examples/bash/send-webhook.sh`. Resolves with its exit code and output. */
export function sendWebhook(
  env: { WEBHOOK_URL: string; GATEHOUSE_FLOW_KEY?: string },
  body: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const program = join(root, 'examples/bash/send-webhook.sh')
    const child = execFile(program, { env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
    child.stdin?.end(body)
  })
}

/** Opens a Gatehouse with the bot of the examples and its webhook, which requires a key. */
export async function openWebhook(t: TestContext, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  await provision(world, 'PUT', '/v1/users/ada', { name: ada.name, email: ada.email, password: ada.password })
  const bot = await provisionListeningBot(world.service, { botId: 'harbor', path: 'announcements', requiresKey: true })
  const webhook = { WEBHOOK_URL: `${world.apiUrl}/${bot.botId}/${bot.path}`, GATEHOUSE_FLOW_KEY: bot.key }
  return { world, bot, webhook }
}

/** Delivers a webhook, then inspects and replays a dead letter, as the README of the examples describes. */
export async function assertAnnounces(t: TestContext, start: Start): Promise<void> {
  const { world, bot, webhook } = await openWebhook(t)
  const { key } = await makeRuntime(world, [bot.botId])
  const env = { GATEHOUSE_URL: world.apiUrl, GATEHOUSE_RUNTIME_KEY: key }
  const send = (announcement: object) => sendWebhook(webhook, JSON.stringify(announcement))
  const bodyOfStatus = async () => {
    const response = await fetch(`${world.baseUrl}/botstatus/${bot.botId}/api`)
    return (await response.json()) as { online: boolean; guildCount: number | null }
  }

  /** Stops the program as Ctrl-C does. The program takes the bot offline before it exits. */
  const stop = async (program: RunningProgram) => {
    program.signalGroup('SIGINT')
    await program.exited
    const { statusBoard } = world.service.bots
    // Not over HTTP: while the clock stands still, the limit of requests would be reached.
    await eventually(async () => (await statusBoard.find(bot.botId))?.status.online === false || undefined)
  }

  await t.test('without a Discord login, the example prints a webhook and its bot is online', async () => {
    const program = start(env)
    await program.waitForOutput('Press Ctrl-C to stop')
    assert.deepEqual(await send({ channel: 'deploys', text: 'Version 7 is out' }), {
      code: 0,
      stdout: 'Stored. The bot will receive it, even if it is offline now.\n',
      stderr: '',
    })
    await program.waitForOutput('#deploys: Version 7 is out')
    assert.equal((await bodyOfStatus()).online, true)

    await send({ channel: 'ops', text: 'Disk full' })
    assert.match((await deadLetterPage(world, bot)).text, /channel ops is not in CHANNELS/)
    await stop(program)
  })

  await t.test('a dead letter can be replayed after a restart with its channel in CHANNELS', async () => {
    const program = start({ ...env, CHANNELS: 'deploys,ops' })
    await program.waitForOutput('Press Ctrl-C to stop')
    await replay(world, bot)
    await program.waitForOutput('#ops: Disk full')
    await stop(program)
  })

  await t.test(
    'with a login to a stand-in for Discord, the example posts to the channel and reports its servers',
    async (t) => {
      const discord = await openStandInDiscord(t)
      const program = start({ ...env, DISCORD_TOKEN: 'a-token', DISCORD_API: `${discord.url}/api` })
      await program.waitForOutput('Press Ctrl-C to stop')
      await send({ channel: 'deploys', text: '@everyone Version 8 is out' })
      await eventually(() => (discord.posted.length > 0 ? true : undefined))
      assert.deepEqual(discord.posted, [
        { channelId: '301', content: '@everyone Version 8 is out', allowedMentions: { parse: [] } },
      ])
      const { online, guildCount } = await bodyOfStatus()
      assert.deepEqual([online, guildCount], [true, 1])
      await stop(program)
    },
  )
}

/** Resolves with the page of the bot's dead letter, once there is one, as its owner Ada sees it. */
export async function deadLetterPage(world: World, bot: ListeningBot, browser?: Browser): Promise<Answer> {
  const owner = browser ?? (await signedIn(world))
  const deliveries = `${world.baseUrl}/bots/${bot.botId}/deliveries`
  return eventually(async () => {
    const list = await owner.visit(`${deliveries}?state=dead`, world)
    const id = /\/deliveries\/(ev[\w-]+)["?]/.exec(list.text)?.[1]
    return id === undefined ? undefined : owner.visit(`${deliveries}/${id}`, world)
  })
}

/** Chooses *Replay* on the page of the bot's dead letter. */
export async function replay(world: World, bot: ListeningBot): Promise<void> {
  const browser = await signedIn(world)
  const answer = await browser.submit(await deadLetterPage(world, bot, browser), {}, '/replay')
  assert.equal(answer.status, 303, answer.text)
}
