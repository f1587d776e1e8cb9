import { html, type Words, words } from '../../pages/html.ts'

const code = (text: string) => html`<code>${text}</code>`

/** Texts of confirmation pages for keys of flows and of runtimes. */
export const keyQuestionWords = {
  keyBefore: {
    label: words({ en: 'The key that is in use', de: 'Der Schlüssel, der jetzt gilt' }),
    for24Hours: words({ en: 'Works for 24 hours more', de: 'Gilt noch 24 Stunden' }),
    for24HoursMeans: words({
      en: 'Time to tell the new key to everybody who has the old one.',
      de: 'Zeit, den neuen Schlüssel allen zu sagen, die den alten haben.',
    }),
    endsNow: words({ en: 'Stops working now', de: 'Gilt ab jetzt nicht mehr' }),
    endsNowMeans: words({
      en: 'When somebody has it who should not.',
      de: 'Wenn ihn jemand hat, der ihn nicht haben soll.',
    }),
  },
  makeTitle: (of: string): Words => words({ en: `Make a key for ${of}?`, de: `Einen Schlüssel für ${of} erstellen?` }),
  replaceTitle: (of: string): Words =>
    words({ en: `Replace the key of ${of}?`, de: `Den Schlüssel von ${of} ersetzen?` }),
  newKey: words({
    en: 'The new key is shown once and works immediately. Webhooks without a key are then rejected.',
    de: 'Der neue Schlüssel wird nur einmal gezeigt und gilt sofort. Webhooks ohne Schlüssel werden dann abgewiesen.',
  }),
  endingStops: (lastFour: string): Words =>
    words({
      en: html`The key ${code(`••••${lastFour}`)}, which was about to end, stops working now.`,
      de: html`Der Schlüssel ${code(`••••${lastFour}`)}, der bald enden sollte, gilt ab jetzt nicht mehr.`,
    }),
  make: words({ en: 'Make the key', de: 'Schlüssel erstellen' }),
  replace: words({ en: 'Replace the key', de: 'Schlüssel ersetzen' }),
  endTitle: words({ en: 'End this key now?', de: 'Diesen Schlüssel jetzt beenden?' }),
  endOfFlow: (lastFour: string): Words =>
    words({
      en: html`The key ${code(`••••${lastFour}`)} stops working now. Whoever still sends it is refused with 401.`,
      de: html`Der Schlüssel ${code(`••••${lastFour}`)} gilt ab jetzt nicht mehr. Wer ihn noch sendet, wird mit 401 abgewiesen.`,
    }),
  endOfRuntime: (lastFour: string, runtime: string): Words =>
    words({
      en: html`The key ${code(`••••${lastFour}`)} of ${runtime} stops working now, and what is connected with it is cut off.`,
      de: html`Der Schlüssel ${code(`••••${lastFour}`)} von ${runtime} gilt ab jetzt nicht mehr, und was damit verbunden ist, wird getrennt.`,
    }),
  end: words({ en: 'End the key', de: 'Schlüssel beenden' }),
  letItWork: words({ en: 'Let it work on', de: 'Weiter gelten lassen' }),
}
