import { connect } from '@gatehouse/runtime'
import { discordReports } from '@gatehouse/runtime/discord'
import { Client, Events, GatewayIntentBits } from 'discord.js'

// Posts each webhook to a channel: {"channel": "deploys", "text": "Version 7 is out"}.

const { GATEHOUSE_URL, GATEHOUSE_RUNTIME_KEY, CHANNELS = 'deploys', DISCORD_TOKEN, DISCORD_API } = process.env
if (!GATEHOUSE_URL || !GATEHOUSE_RUNTIME_KEY) {
  console.error('Set GATEHOUSE_URL and GATEHOUSE_RUNTIME_KEY.')
  process.exit(1)
}
/** Channels to which webhooks may post. */
const channels = CHANNELS.split(',')

const discord = new Client({
  intents: [GatewayIntentBits.Guilds],
  // Set only by our tests, to the address of a fake Discord API.
  ...(DISCORD_API && { rest: { api: DISCORD_API } }),
})
if (DISCORD_TOKEN) {
  const ready = new Promise((resolve) => discord.once(Events.ClientReady, resolve))
  await discord.login(DISCORD_TOKEN)
  await ready
} else console.log('Without DISCORD_TOKEN, messages are printed here.')

const runtime = connect({
  url: GATEHOUSE_URL,
  key: GATEHOUSE_RUNTIME_KEY,
  instance: 'discord-js-example',
  heartbeat: DISCORD_TOKEN ? discordReports(() => discord) : () => ({ ready: true, presence: 'online' }),
  async onWebhook(event, { dead, log }) {
    const announcement = parsed(event)
    if (announcement === undefined) return dead('the body is not {"channel": "…", "text": "…"}')
    const { channel, text } = announcement
    // A retry would fail too. After CHANNELS is corrected, the owner can replay the event.
    if (!channels.includes(channel)) return dead(`channel ${channel} is not in CHANNELS`)
    await post(channel, text)
    log('info', `posted to ${channel}`)
  },
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => runtime.leave())
console.log(`Hosting ${(await runtime.hosting()).join(', ')}. Press Ctrl-C to stop.`)
await runtime.ended
await discord.destroy()

function parsed(event) {
  try {
    const { channel, text } = event.json()
    return typeof channel === 'string' && typeof text === 'string' ? { channel, text } : undefined
  } catch {
    return undefined
  }
}

/** Posts to the first channel of this name. If posting fails, Gatehouse retries after 5 s, 30 s, 2 min … */
async function post(name, text) {
  if (!DISCORD_TOKEN) return console.log(`#${name}: ${text}`)
  const channel = discord.channels.cache.find((one) => one.isTextBased() && one.name === name)
  if (channel === undefined) throw new Error(`the bot is in no server with a channel ${name}`)
  // Webhooks must not ping everyone.
  await channel.send({ content: text.slice(0, 2_000), allowedMentions: { parse: [] } })
}
