import { connect } from '@gatehouse/runtime'

const channels = ['deploys']

const runtime = connect({
  url: process.env.GATEHOUSE_URL,
  key: process.env.GATEHOUSE_RUNTIME_KEY,
  instance: 'my-bot',
  heartbeat: () => ({ ready: true, presence: 'online' }),
  onWebhook(event, { dead }) {
    const { channel, text } = event.json()
    // A retry would fail too, so the event becomes a dead letter at once.
    if (!channels.includes(channel)) return dead(`unknown channel ${channel}`)
    console.log(`#${channel}: ${text}`)
  },
})
process.once('SIGINT', () => runtime.leave())
console.log(`Hosting ${(await runtime.hosting()).join(', ')}. Press Ctrl-C to stop.`)
