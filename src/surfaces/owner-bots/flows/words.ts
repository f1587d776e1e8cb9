import type { SignaturePreset } from '../../../domain/bots/flows/signature-setting.ts'
import { html, type Text, type Words, words } from '../../../pages/html.ts'

const code = (text: string) => html`<code>${text}</code>`

/** The flows of a bot, and one of them: where it takes webhooks, its keys, a test. */
export const flowWords = {
  list: {
    caption: words({ en: 'Flows by their ids', de: 'Flows nach ihren Ids' }),
    flow: words({ en: 'Flow', de: 'Flow' }),
    kind: words({ en: 'Kind', de: 'Art' }),
    address: words({ en: 'Webhook address', de: 'Webhook-Adresse' }),
    noWebhooks: words({ en: 'Takes no webhooks', de: 'Nimmt keine Webhooks an' }),
    key: words({ en: 'Key', de: 'Schlüssel' }),
    needed: words({ en: 'Needed', de: 'Nötig' }),
    notNeeded: words({ en: 'Not needed', de: 'Nicht nötig' }),
    signature: words({ en: 'Signature needed', de: 'Signatur nötig' }),
    keyAndSignature: words({ en: 'Key and signature needed', de: 'Schlüssel und Signatur nötig' }),
  },
  none: {
    title: words({ en: 'The bot has no flow yet', de: 'Der Bot hat noch keinen Flow' }),
    body: words({
      en: html`A flow is what the bot does when something happens. You draw flows on the platform. One of the kind ${code('event')} that listens for webhooks gets an address here, to which any program can send.`,
      de: html`Ein Flow ist, was der Bot tut, wenn etwas geschieht. Sie zeichnen Flows auf der Plattform. Einer der Art ${code('event')}, der auf Webhooks wartet, bekommt hier eine Adresse, an die jedes Programm senden kann.`,
    }),
  },
  takesNone: words({
    en: html`This flow takes no webhooks. On the platform, a flow of the kind ${code('event')} can listen for them.`,
    de: html`Dieser Flow nimmt keine Webhooks an. Auf der Plattform kann ein Flow der Art ${code('event')} auf sie warten.`,
  }),
  address: {
    title: words({ en: 'Webhook', de: 'Webhook' }),
    about: words({
      en: 'Whatever is posted there, up to 1 MiB, starts this flow. It is kept until a runtime has done it.',
      de: 'Was dorthin gesendet wird, bis zu 1 MiB, startet diesen Flow. Es wird aufbewahrt, bis eine Runtime es erledigt hat.',
    }),
    flowId: words({ en: 'Flow id', de: 'Flow-Id' }),
    guide: words({ en: 'Guide: webhooks', de: 'Anleitung: Webhooks' }),
    order: words({ en: 'Order', de: 'Reihenfolge' }),
    strict: words({
      en: 'Strict: each waits until the one before it is done',
      de: 'Streng: Jeder wartet, bis der vor ihm erledigt ist',
    }),
    notStrict: words({
      en: 'Not strict: one that fails does not hold up the others',
      de: 'Nicht streng: Einer, der scheitert, hält die anderen nicht auf',
    }),
    send: words({ en: 'Send a webhook', de: 'Einen Webhook senden' }),
    onlyDiscordSigns: words({
      en: 'Discord signs with a private key that only Discord has, so nobody else can send a webhook here. Use the test below.',
      de: 'Discord signiert mit einem privaten Schlüssel, den nur Discord hat. Darum kann sonst niemand einen Webhook hierher senden. Nutzen Sie den Test weiter unten.',
    }),
  },
  keys: {
    about: words({
      en: html`Senders show it in the header ${code('svc-key')}. While you change it, the old one can work on for 24 hours.`,
      de: html`Absender zeigen ihn in der Kopfzeile ${code('svc-key')}. Während Sie ihn wechseln, kann der alte noch 24 Stunden gelten.`,
    }),
    needed: words({ en: 'A key is needed', de: 'Ein Schlüssel ist nötig' }),
    notNeeded: words({ en: 'No key is needed', de: 'Kein Schlüssel ist nötig' }),
    sendersSign: words({
      en: 'Senders sign instead: what is not signed is refused.',
      de: 'Dafür signieren die Absender: Was nicht signiert ist, wird abgewiesen.',
    }),
    notNeededMeans: words({
      en: 'Anyone who knows the URL can start this flow, with or without a key.',
      de: 'Wer die URL kennt, kann diesen Flow starten, mit oder ohne Schlüssel.',
    }),
    require: words({ en: 'Require a key', de: 'Schlüssel verlangen' }),
    stopRequiring: words({ en: 'Stop requiring a key', de: 'Keinen Schlüssel mehr verlangen' }),
    caption: words({
      en: 'Keys that work, the current one first',
      de: 'Gültige Schlüssel, der jetzige zuerst',
    }),
    made: words({ en: 'Created', de: 'Erstellt' }),
    lastUsed: words({ en: 'Last used', de: 'Zuletzt benutzt' }),
    works: words({ en: 'Works', de: 'Gilt' }),
    untilReplaced: words({ en: 'Until it is replaced', de: 'Bis er ersetzt wird' }),
    ends: (when: Text): Words => words({ en: html`Ends ${when}`, de: html`Endet ${when}` }),
    endIt: words({ en: 'End it', de: 'Beenden' }),
    replaceIt: words({ en: 'Replace it', de: 'Nur ersetzbar' }),
    /** The hidden part names the item for screen readers. */
    endNow: (lastFour: string): Words =>
      words({
        en: html`End now<span class="hidden-visually"> the key ${lastFour}</span>`,
        de: html`Jetzt beenden<span class="hidden-visually">: Schlüssel ${lastFour}</span>`,
      }),
    replace: words({ en: 'Replace the key', de: 'Schlüssel ersetzen' }),
    make: words({ en: 'Make a key', de: 'Schlüssel erstellen' }),
    once: {
      title: words({ en: 'The flow has a new key', de: 'Der Flow hat einen neuen Schlüssel' }),
      label: words({ en: 'Flow key', de: 'Flow-Schlüssel' }),
      explain: words({
        en: html`Give it to your senders now: <strong>it is shown only once</strong>. They send it in the header ${code('svc-key')}. Webhooks without it are rejected from now on.`,
        de: html`Geben Sie ihn jetzt Ihren Absendern: <strong>Er wird nur einmal gezeigt</strong>. Sie senden ihn im Header ${code('svc-key')}. Webhooks ohne ihn werden ab jetzt abgewiesen.`,
      }),
    },
  },
  test: {
    title: words({ en: 'Test', de: 'Test' }),
    about: words({
      en: 'Sends a webhook to this flow, as any sender could, without its key.',
      de: 'Sendet diesem Flow einen Webhook, wie es jeder Absender könnte, aber ohne seinen Schlüssel.',
    }),
    body: words({
      en: html`The flow gets a small JSON body that says ${code('"test": true')}, with the user agent ${code('Gatehouse-Test/1')}. It does with it what it does with any webhook.`,
      de: html`Der Flow bekommt etwas JSON, in dem ${code('"test": true')} steht, mit dem User-Agent ${code('Gatehouse-Test/1')}. Er tut damit, was er mit jedem Webhook tut.`,
    }),
    send: words({ en: 'Send a test', de: 'Test senden' }),
    refused: words({
      en: 'The gateway did not take the test. Try again in a moment.',
      de: 'Das Gateway hat den Test nicht angenommen. Versuchen Sie es gleich noch einmal.',
    }),
    queueFull: words({
      en: 'The bot’s queue is full, so no webhook is taken. Let a runtime work it off, or discard dead letters.',
      de: 'Die Warteschlange des Bots ist voll, darum wird kein Webhook angenommen. Lassen Sie eine Runtime sie abarbeiten, oder verwerfen Sie Unzustellbares.',
    }),
    gatewayUnavailable: words({
      en: 'The gateway can not store webhooks right now. Try again in a moment.',
      de: 'Das Gateway kann gerade keine Webhooks speichern. Versuchen Sie es gleich noch einmal.',
    }),
  },
}

/** Texts of the settings of a flow's webhook: ordering, deduplication, key requirement and signature. */
export const flowSettingWords = {
  taking: {
    title: words({ en: 'Order and repetitions', de: 'Reihenfolge und Wiederholungen' }),
    about: words({
      en: 'Many senders send again when they are unsure. A repetition is answered 202 as the first was, and starts nothing.',
      de: 'Viele Absender senden im Zweifel noch einmal. Eine Wiederholung wird mit 202 beantwortet wie das erste Mal und startet nichts.',
    }),
    strict: words({ en: 'Strict order', de: 'Strenge Reihenfolge' }),
    strictMeans: words({
      en: 'Each webhook waits until the one before it is done, or is a dead letter.',
      de: 'Jeder Webhook wartet, bis der vor ihm erledigt oder unzustellbar ist.',
    }),
    knownBy: words({ en: 'A repetition is known by', de: 'Eine Wiederholung erkennt man an' }),
    byNothing: words({ en: 'Nothing: every webhook counts', de: 'gar nichts: Jeder Webhook zählt' }),
    byHeader: words({ en: 'A header', de: 'einer Kopfzeile' }),
    byPointer: words({ en: 'A place in the JSON body', de: 'einer Stelle im JSON' }),
    header: words({ en: 'Header', de: 'Kopfzeile' }),
    headerHint: words({
      en: html`Such as ${code('x-github-delivery')}.`,
      de: html`Etwa ${code('x-github-delivery')}.`,
    }),
    pointer: words({ en: 'Place in the body', de: 'Stelle im Inhalt' }),
    pointerHint: words({
      en: html`As a JSON pointer, such as ${code('/id')}.`,
      de: html`Als JSON-Pointer, etwa ${code('/id')}.`,
    }),
    window: words({ en: 'For how many seconds', de: 'Für wie viele Sekunden' }),
    windowHint: words({
      en: 'Empty for 24 hours, which is the longest.',
      de: 'Leer für 24 Stunden; länger geht es nicht.',
    }),
    save: words({ en: 'Save order and repetitions', de: 'Reihenfolge und Wiederholungen speichern' }),
  },
  signature: {
    title: words({ en: 'Signature', de: 'Signatur' }),
    about: words({
      en: 'Where the sender signs, what is not signed with your secret is refused with 401.',
      de: 'Signiert der Absender, wird mit 401 abgewiesen, was nicht mit Ihrem Geheimnis signiert ist.',
    }),
    sender: words({ en: 'Sender', de: 'Absender' }),
    none: words({ en: 'Signatures are not looked at', de: 'Signaturen werden nicht geprüft' }),
    presets: {
      github: 'GitHub',
      stripe: 'Stripe',
      slack: 'Slack',
      shopify: 'Shopify',
      discord: 'Discord',
      hmac: words({ en: 'Another, by HMAC of the body', de: 'Ein anderer, durch HMAC des Inhalts' }),
    } satisfies Record<SignaturePreset, Text>,
    secret: words({ en: 'Signing secret', de: 'Signaturgeheimnis' }),
    secretHint: words({
      en: 'The sender shows it where you set up its webhook. Discord has none.',
      de: 'Der Absender zeigt es dort, wo Sie seinen Webhook einrichten. Discord hat keines.',
    }),
    secretKept: words({
      en: 'Empty keeps the one that is stored. It is never shown.',
      de: 'Leer behält das gespeicherte. Es wird nie gezeigt.',
    }),
    publicKey: words({ en: 'Public key, for Discord', de: 'Öffentlicher Schlüssel, für Discord' }),
    publicKeyHint: words({ en: '64 hexadecimal digits.', de: '64 hexadezimale Ziffern.' }),
    header: words({ en: 'Header, for HMAC', de: 'Kopfzeile, für HMAC' }),
    headerHint: words({
      en: html`In which the signature stands, such as ${code('x-signature')}.`,
      de: html`In der die Signatur steht, etwa ${code('x-signature')}.`,
    }),
    hash: words({ en: 'Hash, for HMAC', de: 'Hash, bei HMAC' }),
    encoding: words({ en: 'Encoding, for HMAC', de: 'Kodierung, für HMAC' }),
    prefix: words({ en: 'Prefix, for HMAC', de: 'Präfix, für HMAC' }),
    prefixHint: words({
      en: html`What stands before the signature, such as ${code('sha256=')}. Mostly nothing.`,
      de: html`Was vor der Signatur steht, etwa ${code('sha256=')}. Meistens nichts.`,
    }),
    save: words({ en: 'Save signature', de: 'Signatur speichern' }),
  },
}
