import { html, type Text, t, type Words } from '../../../pages/html.ts'

const code = (text: string) => html`<code>${text}</code>`

/** Text for the list of runtimes that are allowed to host a bot. */
export const runtimeWords = {
  title: t`Runtimes`,
  about: t`A runtime is a program that runs your bot and processes its webhooks. It connects with a runtime key.`,
  none: t`None of your runtimes hosts this bot. The platform may still host it.`,
  ofPlatform: t`Runtime of the platform`,
  lastHeartbeat: (when: Text): Words => t`Last heartbeat ${when}`,
  address: t`Runtime URL`,
  once: {
    title: t`Runtime key created`,
    label: t`Runtime key`,
    explain: t.html`Copy the key to your runtime’s settings now: <strong>it is shown only once</strong>. If you lose it, replace it.`,
  },
  start: {
    title: t`Start the runtime`,
    about: t`Paste these commands into a shell, in an empty folder. They start a runtime that prints webhooks. It needs Node 20 or Python 3.9, or later.`,
    listen: t`${code('gatehouse listen')} shows webhooks, but doesn’t take the bot online.`,
    packages: (address: string): Words => t.html`<a href="${address}">All packages</a>`,
  },
  connected: t`Connected`,
  offline: t`Offline`,
  neverConnected: t`Never connected.`,
  connectionsOf: (runtime: string): Words => t`Connections of ${runtime}`,
  instance: t`Instance`,
  agent: t`Program`,
  since: t`Since`,
  lastSeen: t`Last seen`,
  now: t`Now`,
  /** @param bots the number of bots. `null` means all the owner's bots. */
  hostsBots: (bots: number | null): Words => {
    if (bots === null) return t`Hosts all your bots`
    return bots === 1 ? t`Hosts this bot` : t`Hosts ${bots} of your bots`
  },
  created: (when: Text): Words => t`Created ${when}`,
  keysOf: (runtime: string): Words => t`Valid keys of ${runtime}, current one first`,
  replaceKey: (runtime: string): Words => t.html`Replace key<span class="hidden-visually"> of ${runtime}</span>`,
  remove: (runtime: string): Words => t.html`Remove<span class="hidden-visually"> ${runtime}</span>`,
  add: {
    title: t`Add a runtime`,
    about: t`Add one runtime for each machine that runs your program. The key is shown only once.`,
    name: t`Name`,
    nameHint: t`For example, the machine it runs on.`,
    mayHost: t`Bots it can host`,
    onlyThis: (bot: string): Words => t`Only ${bot}`,
    all: t`All your bots, including future ones`,
    submit: t`Add runtime`,
  },
  removal: {
    title: (runtime: string): Words => t`Remove ${runtime}?`,
    effectOne: t`Its keys stop working and it is disconnected. The bot goes offline unless another runtime hosts it. Webhooks in progress are delivered again.`,
    effectAll: t`Its keys stop working and it is disconnected. Its bots go offline unless another runtime hosts them. Webhooks in progress are delivered again.`,
    submit: t`Remove runtime`,
    keep: t`Keep runtime`,
  },
}
