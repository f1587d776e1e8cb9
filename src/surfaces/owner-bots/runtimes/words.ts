import { html, t, type Words } from '../../../pages/html.ts'

const code = (text: string) => html`<code>${text}</code>`

/** Text for the list of runtimes that are allowed to host a bot. */
export const runtimeWords = {
  start: {
    listen: t`${code('gatehouse listen')} shows webhooks, but doesn’t take the bot online.`,
  },
  /** @param bots the number of bots. `null` means all the owner's bots. */
  hostsBots: (bots: number | null): Words => {
    if (bots === null) return t`Hosts all your bots`
    return bots === 1 ? t`Hosts this bot` : t`Hosts ${bots} of your bots`
  },
}
