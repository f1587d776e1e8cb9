import { html, words } from '../../../pages/html.ts'

const code = (text: string) => html`<code>${text}</code>`

/** Notes on senders that need more than a URL and a signature. */
export const senderWords = {
  title: words({
    en: 'Before you enter the URL in the sender’s settings',
    de: 'Bevor Sie die URL beim Absender eintragen',
  }),
  github: words({
    en: html`${code('X-GitHub-Event')} doesn’t reach the bot. Use one flow with its own path per event type. In each GitHub webhook, choose a single event.`,
    de: html`${code('X-GitHub-Event')} erreicht den Bot nicht. Verwenden Sie je Ereignistyp einen Flow mit eigenem Pfad. Wählen Sie in jedem GitHub-Webhook nur ein Ereignis.`,
  }),
  shopify: words({
    en: html`${code('X-Shopify-Topic')} doesn’t reach the bot. Use one flow with its own path per topic, and one Shopify webhook for each.`,
    de: html`${code('X-Shopify-Topic')} erreicht den Bot nicht. Verwenden Sie je Thema einen Flow mit eigenem Pfad und dafür je einen Shopify-Webhook.`,
  }),
  slack: words({
    en: html`Slack doesn’t accept this URL. It first sends ${code('url_verification')} and expects the challenge in the response, but this URL always responds with ${code('{"ok": true}')}. Run this relay, for example on Cloudflare Workers or Deno, and enter its URL in Slack.`,
    de: html`Slack akzeptiert diese URL nicht. Slack sendet zuerst ${code('url_verification')} und erwartet die Challenge in der Antwort, aber diese URL antwortet immer mit ${code('{"ok": true}')}. Betreiben Sie dieses Relay, etwa auf Cloudflare Workers oder Deno, und tragen Sie dessen URL in Slack ein.`,
  }),
  discord: words({
    en: html`Discord doesn’t accept this URL. It sends a ${code('PING')} and expects a specific response, but this URL always responds with ${code('{"ok": true}')}. Run this relay, for example on Cloudflare Workers or Deno, and enter its URL in Discord. Commands show “thinking” until your bot responds with the interaction’s token. The bot receives each ${code('PING')} too; ignore it.`,
    de: html`Discord akzeptiert diese URL nicht. Discord sendet einen ${code('PING')} und erwartet eine bestimmte Antwort, aber diese URL antwortet immer mit ${code('{"ok": true}')}. Betreiben Sie dieses Relay, etwa auf Cloudflare Workers oder Deno, und tragen Sie dessen URL in Discord ein. Discord zeigt bei Befehlen „denkt nach“ an, bis Ihr Bot mit dem Token der Interaktion antwortet. Auch der Bot erhält jeden ${code('PING')}; ignorieren Sie ihn.`,
  }),
  relay: words({ en: 'Relay', de: 'Relay' }),
  needsRelay: words({
    en: 'Slack and Discord need a relay in front of this URL. After you save, this page shows the relay’s code.',
    de: 'Slack und Discord brauchen ein Relay vor dieser URL. Nach dem Speichern zeigt diese Seite den Code des Relays.',
  }),
}
