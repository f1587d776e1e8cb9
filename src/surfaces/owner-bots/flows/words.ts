import type { SignaturePreset } from '../../../domain/bots/flows/signature-setting.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { html, type Text, type Words, words } from '../../../pages/html.ts'

const code = (text: string) => html`<code>${text}</code>`

/** Text for the list of flows and for a flow's page: webhook URL and keys. */
export const flowWords = {
  list: {
    caption: words({ en: 'Flows', de: 'Flows' }),
    searchField: words({ en: 'Name, ID or path', de: 'Name, ID oder Pfad' }),
    sorts: {
      id: 'ID',
      name: words({ en: 'Name', de: 'Name' }),
      kind: words({ en: 'Kind', de: 'Art' }),
      attention: words({ en: 'Needs attention first', de: 'Mit Problemen zuerst' }),
    },
    dead: words({ en: 'Dead letters, 24 h', de: 'Unzustellbar, 24 h' }),
    flow: words({ en: 'Flow', de: 'Flow' }),
    kind: words({ en: 'Kind', de: 'Art' }),
    address: words({ en: 'Webhook URL', de: 'Webhook-URL' }),
    noWebhooks: words({ en: 'No webhooks', de: 'Keine Webhooks' }),
    authentication: words({ en: 'Authentication', de: 'Authentifizierung' }),
    keyRequired: words({ en: 'Key', de: 'Schlüssel' }),
    noneRequired: words({ en: 'None', de: 'Keine' }),
    signature: words({ en: 'Signature', de: 'Signatur' }),
    keyAndSignature: words({ en: 'Key and signature', de: 'Schlüssel und Signatur' }),
  },
  none: {
    title: words({ en: 'No flows yet', de: 'Noch keine Flows' }),
    body: words({
      en: html`A flow defines what the bot does when something happens. You create flows on the platform. A flow of kind ${code('event')} that listens for webhooks gets a webhook URL here.`,
      de: html`Ein Flow legt fest, was der Bot bei einem Ereignis tut. Flows erstellen Sie auf der Plattform. Ein Flow der Art ${code('event')}, der Webhooks empfängt, erhält hier eine Webhook-URL.`,
    }),
  },
  takesNone: words({
    en: html`This flow can’t receive webhooks. Only flows of the kind ${code('event')} can. You set the kind on the platform.`,
    de: html`Dieser Flow nimmt keine Webhooks an. Das ist nur bei Flows der Art ${code('event')} möglich. Die Art legen Sie auf der Plattform fest.`,
  }),
  address: {
    title: words({ en: 'Webhook', de: 'Webhook' }),
    about: words({
      en: 'A POST request of up to 1 MiB to this URL starts the flow. The request is kept until a runtime has processed it.',
      de: 'Eine POST-Anfrage mit bis zu 1 MiB an diese URL startet den Flow. Sie wird gespeichert, bis eine Runtime sie verarbeitet hat.',
    }),
    flowId: words({ en: 'Flow ID', de: 'Flow-ID' }),
    guide: words({ en: 'Guide: webhooks', de: 'Anleitung: Webhooks' }),
    order: words({ en: 'Order', de: 'Reihenfolge' }),
    strict: words({
      en: 'Strict: each webhook waits for the one before it',
      de: 'Strikt: Jeder Webhook wartet auf den vorherigen',
    }),
    notStrict: words({
      en: 'Not strict: a failed webhook doesn’t block others',
      de: 'Nicht strikt: Fehlgeschlagene Webhooks halten andere nicht auf',
    }),
    send: words({ en: 'Send a webhook', de: 'Webhook senden' }),
    setKey: words({
      en: html`First set ${code('GATEHOUSE_FLOW_KEY')} to the flow’s key. If you don’t have it, replace it below.`,
      de: html`Setzen Sie zuerst ${code('GATEHOUSE_FLOW_KEY')} auf den Schlüssel des Flows. Wenn Sie ihn nicht haben, ersetzen Sie ihn unten.`,
    }),
    setSecret: words({
      en: html`First set ${code('GATEHOUSE_SIGNING_SECRET')} to the signing secret that you saved here.`,
      de: html`Setzen Sie zuerst ${code('GATEHOUSE_SIGNING_SECRET')} auf das hier gespeicherte Signatur-Secret.`,
    }),
    onlyDiscordSigns: words({
      en: 'Only Discord can send webhooks here, because it signs them with its private key. To try the flow, write a test below.',
      de: 'Nur Discord hat den privaten Schlüssel zum Signieren und kann Webhooks an diese URL senden. Zum Ausprobieren senden Sie unten einen Test.',
    }),
  },
  keys: {
    title: words({ en: 'Keys', de: 'Schlüssel' }),
    about: words({
      en: html`Senders send the key in the header ${code('svc-key')}. When you replace the key, the previous one can stay valid for 24 hours.`,
      de: html`Absender übermitteln den Schlüssel im Header ${code('svc-key')}. Wenn Sie den Schlüssel ersetzen, kann der bisherige noch 24 Stunden gültig bleiben.`,
    }),
    required: words({ en: 'Key required', de: 'Schlüssel erforderlich' }),
    notRequired: words({ en: 'No key required', de: 'Kein Schlüssel erforderlich' }),
    sendersSign: words({
      en: 'Senders sign their webhooks. Unsigned webhooks are rejected.',
      de: 'Absender signieren ihre Webhooks. Nicht signierte Webhooks werden abgewiesen.',
    }),
    notRequiredMeans: words({
      en: 'Anyone who knows the URL can start this flow, with or without a key.',
      de: 'Wer die URL kennt, kann diesen Flow auch ohne Schlüssel starten.',
    }),
    require: words({ en: 'Require key', de: 'Schlüssel verlangen' }),
    stopRequiring: words({ en: 'Stop requiring key', de: 'Schlüssel nicht mehr verlangen' }),
    caption: words({ en: 'Valid keys, current one first', de: 'Gültige Schlüssel, der aktuelle zuerst' }),
    replace: words({ en: 'Replace key', de: 'Schlüssel ersetzen' }),
    create: words({ en: 'Create key', de: 'Schlüssel erstellen' }),
    once: {
      title: words({ en: 'Key created', de: 'Schlüssel erstellt' }),
      label: words({ en: 'Flow key', de: 'Flow-Schlüssel' }),
      explain: words({
        en: html`Copy the key now: <strong>it is shown only once</strong>. Senders send it in the header ${code('svc-key')}.`,
        de: html`Kopieren Sie den Schlüssel jetzt: <strong>Er wird nur einmal angezeigt</strong>. Absender übermitteln ihn im Header ${code('svc-key')}.`,
      }),
      required: words({
        en: 'Webhooks without a key are now rejected.',
        de: 'Ab jetzt werden Webhooks ohne Schlüssel abgewiesen.',
      }),
      optional: words({
        en: 'Webhooks without a key are still accepted.',
        de: 'Webhooks ohne Schlüssel werden weiterhin angenommen.',
      }),
    },
  },
}

/** Text for a flow's webhook settings: ordering, deduplication, key requirement and signature. */
export const flowSettingWords = {
  taking: {
    title: words({ en: 'Order and duplicates', de: 'Reihenfolge und Duplikate' }),
    about: words({
      en: 'Many senders retry when they get no response. A duplicate gets 202 but doesn’t start the flow.',
      de: 'Bleibt die Antwort aus, senden viele Absender einen Webhook erneut. Duplikate werden mit 202 beantwortet, starten den Flow aber nicht.',
    }),
    noDuplicates: words({ en: 'Duplicates aren’t recognized.', de: 'Duplikate werden nicht erkannt.' }),
    duplicatesByHeader: (header: string): Words =>
      words({
        en: html`Duplicates are recognized by the header ${code(header)}.`,
        de: html`Duplikate werden am Header ${code(header)} erkannt.`,
      }),
    duplicatesByPointer: (pointer: string): Words =>
      words({
        en: html`Duplicates are recognized by ${code(pointer)} in the JSON body.`,
        de: html`Duplikate werden an ${code(pointer)} im JSON-Inhalt erkannt.`,
      }),
    strict: words({ en: 'Strict order', de: 'Strikte Reihenfolge' }),
    strictMeans: words({
      en: 'Each webhook waits until the previous one is delivered or becomes a dead letter.',
      de: 'Jeder Webhook wartet, bis der vorherige zugestellt oder unzustellbar ist.',
    }),
    dedupeBy: words({ en: 'Recognize duplicates by', de: 'Duplikate erkennen' }),
    byNothing: words({ en: 'Don’t check for duplicates', de: 'Nicht auf Duplikate prüfen' }),
    byHeader: words({ en: 'A header', de: 'Anhand eines Headers' }),
    byPointer: words({ en: 'A value in the JSON body', de: 'Anhand eines Werts im JSON-Inhalt' }),
    header: words({ en: 'Header name', de: 'Headername' }),
    headerHint: words({
      en: html`For example ${code('x-github-delivery')}.`,
      de: html`Zum Beispiel ${code('x-github-delivery')}.`,
    }),
    pointer: words({ en: 'JSON pointer to the value', de: 'JSON-Pointer auf den Wert' }),
    pointerHint: words({ en: html`For example ${code('/id')}.`, de: html`Zum Beispiel ${code('/id')}.` }),
    window: words({ en: 'Time window in seconds', de: 'Zeitfenster in Sekunden' }),
    windowHint: words({
      en: 'Leave empty for 24 hours, the maximum.',
      de: 'Leer lassen für das Maximum von 24 Stunden.',
    }),
    save: words({ en: 'Save order and duplicates', de: 'Reihenfolge und Duplikate speichern' }),
  },
  signature: {
    title: words({ en: 'Signature', de: 'Signatur' }),
    about: words({
      en: 'If you choose a sender, webhooks without a valid signature get 401.',
      de: 'Wenn Sie einen Absender wählen, werden Webhooks ohne gültige Signatur mit 401 abgewiesen.',
    }),
    notVerified: words({ en: 'Signatures aren’t verified.', de: 'Signaturen werden nicht geprüft.' }),
    verified: (sender: Text): Words =>
      words({ en: html`Signatures are verified: ${sender}`, de: html`Signaturen werden geprüft: ${sender}` }),
    sender: words({ en: 'Sender', de: 'Absender' }),
    none: words({ en: 'Don’t verify signatures', de: 'Signaturen nicht prüfen' }),
    presets: {
      github: 'GitHub',
      stripe: 'Stripe',
      slack: 'Slack',
      shopify: 'Shopify',
      discord: 'Discord',
      hmac: words({ en: 'Other (HMAC of the body)', de: 'Anderer Absender (HMAC des Inhalts)' }),
    } satisfies Record<SignaturePreset, Text>,
    secret: words({ en: 'Signing secret', de: 'Signatur-Secret' }),
    secretHint: words({
      en: 'Find it in the sender’s webhook settings. Discord doesn’t use one.',
      de: 'Das Secret finden Sie in den Webhook-Einstellungen des Absenders. Discord verwendet keines.',
    }),
    secretKept: words({
      en: 'Leave empty to keep the stored secret. It is never shown.',
      de: 'Leer lassen, um das gespeicherte Secret zu behalten. Es wird nie angezeigt.',
    }),
    publicKey: words({ en: 'Public key (Discord)', de: 'Öffentlicher Schlüssel (Discord)' }),
    publicKeyHint: words({ en: '64 hexadecimal digits.', de: '64 Hexadezimalziffern.' }),
    header: words({ en: 'Signature header (HMAC)', de: 'Header der Signatur (HMAC)' }),
    headerHint: words({
      en: html`For example ${code('x-signature')}.`,
      de: html`Zum Beispiel ${code('x-signature')}.`,
    }),
    hash: words({ en: 'Hash function (HMAC)', de: 'Hash-Funktion (HMAC)' }),
    encoding: words({ en: 'Encoding (HMAC)', de: 'Kodierung (HMAC)' }),
    prefix: words({ en: 'Signature prefix (HMAC)', de: 'Präfix der Signatur (HMAC)' }),
    prefixHint: words({
      en: html`Text before the signature, such as ${code('sha256=')}. Often empty.`,
      de: html`Text vor der Signatur, etwa ${code('sha256=')}. Oft leer.`,
    }),
    save: words({ en: 'Save signature', de: 'Signatur speichern' }),
  },
}

/** Text for creating and removing flows. */
export const flowManagementWords = {
  none: words({
    en: 'A flow defines what the bot does when something happens. Create one to receive webhooks.',
    de: 'Ein Flow legt fest, was der Bot bei einem Ereignis tut. Erstellen Sie einen, um Webhooks zu empfangen.',
  }),
  create: {
    title: words({ en: 'New flow', de: 'Neuer Flow' }),
    about: words({
      en: 'The flow starts when a webhook arrives. After you create it, you get a key for senders.',
      de: 'Der Flow startet, wenn ein Webhook eintrifft. Nach dem Erstellen erhalten Sie einen Schlüssel für Absender.',
    }),
    name: words({ en: 'Name', de: 'Name' }),
    path: words({ en: 'Path', de: 'Pfad' }),
    pathHint: words({
      en: 'The end of the webhook URL, such as orders. Letters, digits and - _ . / ~.',
      de: 'Das Ende der Webhook-URL, zum Beispiel orders. Buchstaben, Ziffern und - _ . / ~.',
    }),
    submit: words({ en: 'Create flow', de: 'Flow erstellen' }),
  },
  remove: {
    title: (flow: string): Words => words({ en: `Remove ${flow}?`, de: `${flow} entfernen?` }),
    link: words({ en: 'Remove flow', de: 'Flow entfernen' }),
    effect: words({
      en: 'Webhooks to this flow are then rejected with 404. Webhooks already accepted are still delivered.',
      de: 'Webhooks an diesen Flow werden dann mit 404 abgewiesen. Bereits angenommene Webhooks werden noch zugestellt.',
    }),
    submit: words({ en: 'Remove flow', de: 'Flow entfernen' }),
  },
}

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

/** Text for sending a test webhook. */
export const testWords = {
  title: words({ en: 'Test webhook', de: 'Test-Webhook' }),
  write: words({ en: 'Send a test webhook', de: 'Test-Webhook senden' }),
  about: words({
    en: 'The flow handles the test like any other webhook, except that it is never treated as a duplicate.',
    de: 'Der Flow verarbeitet den Test wie jeden anderen Webhook. Der Test gilt aber nie als Duplikat.',
  }),
  signed: words({
    en: 'Gatehouse signs the test with the flow’s signing secret and checks the signature.',
    de: 'Gatehouse signiert den Test mit dem Signatur-Secret des Flows und prüft die Signatur.',
  }),
  discord: words({
    en: 'The test is not signed, because only Discord has the private key.',
    de: 'Der Test wird nicht signiert, weil nur Discord den privaten Schlüssel hat.',
  }),
  noKeyNeeded: words({ en: 'The test needs no key.', de: 'Für den Test ist kein Schlüssel erforderlich.' }),
  body: words({ en: 'Body', de: 'Inhalt' }),
  headersHint: words({
    en: html`Only these headers reach a bot. Leave a field empty to omit its header. ${code('Gatehouse-Test/1')} marks a test.`,
    de: html`Nur diese Header erreichen einen Bot. Lassen Sie ein Feld leer, um den Header wegzulassen. ${code('Gatehouse-Test/1')} kennzeichnet einen Test.`,
  }),
  send: words({ en: 'Send test', de: 'Test senden' }),
  headerMalformed: words({
    en: `Use at most ${limits.testHeaderMaxCharacters} visible ASCII characters.`,
    de: `Verwenden Sie höchstens ${limits.testHeaderMaxCharacters} sichtbare ASCII-Zeichen.`,
  }),
  tooLarge: words({ en: 'Use at most 64 KiB.', de: 'Verwenden Sie höchstens 64 KiB.' }),
  refused: words({
    en: 'Test not sent. Try again in a moment.',
    de: 'Test nicht gesendet. Versuchen Sie es in Kürze erneut.',
  }),
  queueFull: words({
    en: 'The bot’s queue is full, so it accepts no webhooks. Start a runtime to process them, or discard dead letters.',
    de: 'Die Warteschlange des Bots ist voll und nimmt keine weiteren Webhooks an. Starten Sie eine Runtime oder verwerfen Sie unzustellbare Webhooks.',
  }),
  gatewayUnavailable: words({
    en: 'The gateway can’t store webhooks right now. Try again in a moment.',
    de: 'Das Gateway kann gerade keine Webhooks speichern. Versuchen Sie es in Kürze erneut.',
  }),
}
