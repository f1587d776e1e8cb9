import type { SignaturePreset } from '../../../domain/bots/flows/signature-setting.ts'
import { html, type Text, t, type Words } from '../../../pages/html.ts'

export const code = (text: string) => html`<code>${text}</code>`

/** Text for a flow's webhook settings: ordering, deduplication, key requirement and signature. */
export const flowSettingWords = {
  taking: {
    duplicatesByHeader: (header: string): Words => t`Duplicates are recognized by the header ${code(header)}.`,
    duplicatesByPointer: (pointer: string): Words => t`Duplicates are recognized by ${code(pointer)} in the JSON body.`,
    headerHint: t`For example ${code('x-github-delivery')}.`,
    pointerHint: t`For example ${code('/id')}.`,
  },
  signature: {
    presets: {
      github: 'GitHub',
      stripe: 'Stripe',
      slack: 'Slack',
      shopify: 'Shopify',
      discord: 'Discord',
      'standard-webhooks': 'Standard Webhooks (Svix, OpenAI, Clerk, Resend, Gatehouse)',
      token: t`Fixed token in a header (GitLab, Telegram)`,
      hmac: t`Other HMAC (Zoom, Paddle, Zendesk, Typeform and others)`,
    } satisfies Record<SignaturePreset, Text>,
    headerHint: t`For example ${code('x-signature')}, ${code('X-Gitlab-Token')} or ${code('Authorization')}.`,
    prefixHint: t`Text before each signature, such as ${code('sha256=')}, ${code('v1=')} or ${code('h1=')}. Often empty.`,
    signedHint: t`${code('{body}')}, or a text such as ${code('{timestamp}.{body}')} or ${code('v0:{timestamp}:{body}')}.`,
    timestampHeaderHint: t`If ${code('{timestamp}')} is sent in a header of its own, such as ${code('x-zm-request-timestamp')}.`,
    timestampPartHint: t`If ${code('{timestamp}')} is in the header with the signature: ${code('t')} in ${code('t=1700000000,v1=…')}.`,
  },
}

/** Notes on senders that need more than a URL and a signature. */
export const senderWords = {
  title: t`Before you enter the URL in the sender’s settings`,
  github: t`${code('X-GitHub-Event')} doesn’t reach the bot. Use one flow with its own path per event type. In each GitHub webhook, choose a single event.`,
  shopify: t`${code('X-Shopify-Topic')} doesn’t reach the bot. Use one flow with its own path per topic, and one Shopify webhook for each.`,
  slack: t`Slack doesn’t accept this URL. It first sends ${code('url_verification')} and expects the challenge in the response, but this URL always responds with ${code('{"ok": true}')}. Run this relay, for example on Cloudflare Workers or Deno, and enter its URL in Slack.`,
  discord: t`Discord doesn’t accept this URL. It sends a ${code('PING')} and expects a specific response, but this URL always responds with ${code('{"ok": true}')}. Run this relay, for example on Cloudflare Workers or Deno, and enter its URL in Discord. Commands show “thinking” until your bot responds with the interaction’s token. The bot receives each ${code('PING')} too; ignore it.`,
  relay: t`Relay`,
  needsRelay: t`Slack and Discord need a relay in front of this URL. After you save, this page shows the relay’s code.`,
}
