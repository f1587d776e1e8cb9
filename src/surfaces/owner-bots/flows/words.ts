import type { SignaturePreset } from '../../../domain/bots/flows/signature-setting.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { html, type Text, t, type Words } from '../../../pages/html.ts'

const code = (text: string) => html`<code>${text}</code>`

/** Text for the list of flows and for a flow's page: webhook URL and keys. */
export const flowWords = {
  list: {
    caption: t`Flows`,
    searchField: t`Name, ID or path`,
    sorts: {
      id: 'ID',
      name: t`Name`,
      kind: t`Kind`,
      attention: t`Needs attention first`,
    },
    dead: t`Dead letters, 24 h`,
    flow: t`Flow`,
    kind: t`Kind`,
    address: t`Webhook URL`,
    noWebhooks: t`No webhooks`,
    authentication: t`Authentication`,
    keyRequired: t`Key`,
    noneRequired: t`None`,
    signature: t`Signature`,
    keyAndSignature: t`Key and signature`,
  },
  none: {
    title: t`No flows yet`,
    body: t`A flow defines what the bot does when something happens. You create flows on the platform. A flow of kind ${code('event')} that listens for webhooks gets a webhook URL here.`,
  },
  takesNone: t`This flow can’t receive webhooks. Only flows of the kind ${code('event')} can. You set the kind on the platform.`,
  address: {
    title: t`Webhook`,
    about: t`A POST request of up to 1 MiB to this URL starts the flow. The request is kept until a runtime has processed it.`,
    flowId: t`Flow ID`,
    guide: t`Guide: webhooks`,
    order: t`Order`,
    strict: t`Strict: each webhook waits for the one before it`,
    notStrict: t`Not strict: a failed webhook doesn’t block others`,
    send: t`Send a webhook`,
    setKey: t`First set ${code('GATEHOUSE_FLOW_KEY')} to the flow’s key. If you don’t have it, replace it below.`,
    setSecret: t`First set ${code('GATEHOUSE_SIGNING_SECRET')} to the signing secret that you saved here.`,
    onlyDiscordSigns: t`Only Discord can send webhooks here, because it signs them with its private key. To try the flow, write a test below.`,
  },
  keys: {
    title: t`Keys`,
    about: t`Senders send the key in the header ${code('svc-key')}. When you replace the key, the previous one can stay valid for 24 hours.`,
    required: t`Key required`,
    notRequired: t`No key required`,
    sendersSign: t`Senders sign their webhooks. Unsigned webhooks are rejected.`,
    notRequiredMeans: t`Anyone who knows the URL can start this flow, with or without a key.`,
    require: t`Require key`,
    stopRequiring: t`Stop requiring key`,
    caption: t`Valid keys, current one first`,
    replace: t`Replace key`,
    create: t`Create key`,
    once: {
      title: t`Key created`,
      label: t`Flow key`,
      explain: t.html`Copy the key now: <strong>it is shown only once</strong>. Senders send it in the header ${code('svc-key')}.`,
      required: t`Webhooks without a key are now rejected.`,
      optional: t`Webhooks without a key are still accepted.`,
    },
  },
}

/** Text for a flow's webhook settings: ordering, deduplication, key requirement and signature. */
export const flowSettingWords = {
  taking: {
    title: t`Order and duplicates`,
    about: t`Many senders retry when they get no response. A duplicate gets 202 but doesn’t start the flow.`,
    noDuplicates: t`Duplicates aren’t recognized.`,
    duplicatesByHeader: (header: string): Words => t`Duplicates are recognized by the header ${code(header)}.`,
    duplicatesByPointer: (pointer: string): Words => t`Duplicates are recognized by ${code(pointer)} in the JSON body.`,
    strict: t`Strict order`,
    strictMeans: t`Each webhook waits until the previous one is delivered or becomes a dead letter.`,
    dedupeBy: t`Recognize duplicates by`,
    byNothing: t`Don’t check for duplicates`,
    byHeader: t`A header`,
    byPointer: t`A value in the JSON body`,
    header: t`Header name`,
    headerHint: t`For example ${code('x-github-delivery')}.`,
    pointer: t`JSON pointer to the value`,
    pointerHint: t`For example ${code('/id')}.`,
    window: t`Time window in seconds`,
    windowHint: t`Leave empty for 24 hours, the maximum.`,
    save: t`Save order and duplicates`,
  },
  signature: {
    title: t`Signature`,
    about: t`If you choose a sender, webhooks without a valid signature get 401.`,
    notVerified: t`Signatures aren’t verified.`,
    verified: (sender: Text): Words => t`Signatures are verified: ${sender}`,
    sender: t`Sender`,
    none: t`Don’t verify signatures`,
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
    secret: t`Signing secret`,
    secretHint: t`Find it in the sender’s webhook settings. Discord doesn’t use one.`,
    secretKept: t`Leave empty to keep the stored secret. It is never shown.`,
    publicKey: t`Public key (Discord)`,
    publicKeyHint: t`64 hexadecimal digits.`,
    header: t`Header`,
    headerHint: t`For example ${code('x-signature')}, ${code('X-Gitlab-Token')} or ${code('Authorization')}.`,
    hmacSenders: t`The webhook guide lists what Zoom, Paddle, Zendesk, Typeform and other senders need here.`,
    hash: t`Hash function (HMAC)`,
    encoding: t`Encoding (HMAC)`,
    prefix: t`Signature prefix (HMAC)`,
    prefixHint: t`Text before each signature, such as ${code('sha256=')}, ${code('v1=')} or ${code('h1=')}. Often empty.`,
    signed: t`Signed text (HMAC)`,
    signedHint: t`${code('{body}')}, or a text such as ${code('{timestamp}.{body}')} or ${code('v0:{timestamp}:{body}')}.`,
    timestampHeader: t`Timestamp header (HMAC)`,
    timestampHeaderHint: t`If ${code('{timestamp}')} is sent in a header of its own, such as ${code('x-zm-request-timestamp')}.`,
    timestampPart: t`Timestamp name (HMAC)`,
    timestampPartHint: t`If ${code('{timestamp}')} is in the header with the signature: ${code('t')} in ${code('t=1700000000,v1=…')}.`,
    previous: (until: Text): Words => t`The previous signing secret is accepted too; it expires ${until}.`,
    endPrevious: t`End previous secret`,
    save: t`Save signature`,
  },
}

/** Text for creating and removing flows. */
export const flowManagementWords = {
  none: t`A flow defines what the bot does when something happens. Create one to receive webhooks.`,
  create: {
    title: t`New flow`,
    about: t`The flow starts when a webhook arrives. After you create it, you get a key for senders.`,
    name: t`Name`,
    path: t`Path`,
    pathHint: t`The end of the webhook URL, such as orders. Letters, digits and - _ . / ~.`,
    submit: t`Create flow`,
  },
  remove: {
    title: (flow: string): Words => t`Remove ${flow}?`,
    link: t`Remove flow`,
    effect: t`Webhooks to this flow are then rejected with 404. Webhooks already accepted are still delivered.`,
    submit: t`Remove flow`,
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

/** Text for sending a test webhook. */
export const testWords = {
  title: t`Test webhook`,
  write: t`Send a test webhook`,
  about: t`The flow handles the test like any other webhook, except that it is never treated as a duplicate.`,
  signed: t`Gatehouse signs the test with the flow’s signing secret and checks the signature.`,
  discord: t`The test is not signed, because only Discord has the private key.`,
  noKeyNeeded: t`The test needs no key.`,
  body: t`Body`,
  headersHint: t`Only these headers reach a bot. Leave a field empty to omit its header. ${code('Gatehouse-Test/1')} marks a test.`,
  send: t`Send test`,
  headerMalformed: t`Use at most ${limits.testHeaderMaxCharacters} visible ASCII characters.`,
  tooLarge: t`Use at most 64 KiB.`,
  refused: t`Test not sent. Try again in a moment.`,
  queueFull: t`The bot’s queue is full, so it accepts no webhooks. Start a runtime to process them, or discard dead letters.`,
  gatewayUnavailable: t`The gateway can’t store webhooks right now. Try again in a moment.`,
}
