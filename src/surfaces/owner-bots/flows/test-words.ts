import { testHeaderMaxCharacters } from '../../../domain/limits/limits.ts'
import { html, words } from '../../../pages/html.ts'

const code = (text: string) => html`<code>${text}</code>`

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
    en: `Use at most ${testHeaderMaxCharacters} visible ASCII characters.`,
    de: `Verwenden Sie höchstens ${testHeaderMaxCharacters} sichtbare ASCII-Zeichen.`,
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
