import { html, type Text, type Words, words } from '../html.ts'

/** On the pages that say no for any surface. */
export const errorPageWords = {
  errorId: (id: string): Words =>
    words({
      en: html`Error id <code>${id}</code>. Whoever runs this service finds the details under it.`,
      de: html`Fehlerkennung <code>${id}</code>. Wer diesen Dienst betreibt, findet darunter die Einzelheiten.`,
    }),
  goTo: (place: Text): Words => words({ en: html`Go to ${place}`, de: html`${place} öffnen` }),
  openAgain: words({ en: 'Open the page again', de: 'Seite neu öffnen' }),
  nothingHere: {
    what: words({ en: 'There is nothing at this address', de: 'Unter dieser Adresse ist nichts' }),
    why: words({
      en: 'The address may be mistyped, or what stood here may be gone.',
      de: 'Vielleicht ist die Adresse vertippt, oder was hier stand, gibt es nicht mehr.',
    }),
    whatToDo: words({
      en: 'Check the address, or start from the front.',
      de: 'Prüfen Sie die Adresse, oder beginnen Sie von vorn.',
    }),
  },
  formRefused: {
    what: words({ en: 'This form is out of date', de: 'Dieses Formular ist veraltet' }),
    why: words({
      en: 'The form was opened in another browser, its cookie is gone, or another site sent it. Nothing was changed.',
      de: 'Das Formular wurde in einem anderen Browser geöffnet, sein Cookie fehlt, oder eine andere Website hat es gesendet. Nichts wurde geändert.',
    }),
    whatToDo: words({
      en: 'Open the page again and send the form from there. If it keeps happening, allow cookies for this site.',
      de: 'Öffnen Sie die Seite neu und senden Sie das Formular von dort. Geschieht es wieder, erlauben Sie Cookies für diese Website.',
    }),
  },
  dataAway: {
    what: words({
      en: 'The service can not reach its data right now',
      de: 'Der Dienst erreicht seine Daten gerade nicht',
    }),
    why: words({
      en: 'Its database does not answer. Nothing was changed.',
      de: 'Seine Datenbank antwortet nicht. Nichts wurde geändert.',
    }),
    whatToDo: words({
      en: 'Wait a moment, then try again.',
      de: 'Warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    }),
  },
  requestMalformed: {
    what: words({ en: 'This request can not be read', de: 'Diese Anfrage ist nicht lesbar' }),
    why: words({
      en: 'What the browser sent is larger than a form may be, or not a form at all. Nothing was changed.',
      de: 'Was der Browser gesendet hat, ist größer, als ein Formular sein darf, oder gar kein Formular. Nichts wurde geändert.',
    }),
    whatToDo: words({
      en: 'Open the page again and send the form from there.',
      de: 'Öffnen Sie die Seite neu und senden Sie das Formular von dort.',
    }),
  },
  fault: {
    what: words({ en: 'Something failed on our side', de: 'Bei uns ist etwas fehlgeschlagen' }),
    why: words({
      en: 'The service ran into a fault that is not yours.',
      de: 'Der Dienst ist auf einen Fehler gestoßen, der nicht bei Ihnen liegt.',
    }),
    whatToDo: words({
      en: 'Try again. If it persists, tell whoever runs this service the error id.',
      de: 'Versuchen Sie es noch einmal. Bleibt es dabei, nennen Sie dem Betreiber die Fehlerkennung.',
    }),
  },
}
