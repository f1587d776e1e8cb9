import { html, type Text, type Words, words } from '../html.ts'

/** Text for the error pages of all surfaces. */
export const errorPageWords = {
  errorId: (id: string): Words =>
    words({
      en: html`Error ID <code>${id}</code>. The administrator can look up the details with it.`,
      de: html`Fehler-ID <code>${id}</code>. Damit kann der Administrator die Details nachschlagen.`,
    }),
  goTo: (place: Text): Words => words({ en: html`Go to ${place}`, de: html`${place} öffnen` }),
  openAgain: words({ en: 'Open page again', de: 'Seite erneut öffnen' }),
  nothingHere: {
    what: words({ en: 'Page not found', de: 'Seite nicht gefunden' }),
    why: words({
      en: 'The URL may be mistyped, or the page was removed.',
      de: 'Möglicherweise ist die URL falsch oder die Seite wurde entfernt.',
    }),
    whatToDo: words({ en: 'Check the URL.', de: 'Prüfen Sie die URL.' }),
  },
  formRefused: {
    what: words({ en: 'This form is out of date', de: 'Dieses Formular ist veraltet' }),
    why: words({
      en: 'The form was opened in another browser, or its cookie was deleted. Nothing was changed.',
      de: 'Das Formular stammt aus einem anderen Browser, oder sein Cookie wurde gelöscht. Es wurde nichts geändert.',
    }),
    whatToDo: words({
      en: 'Open the page again and submit the form there. If this keeps happening, allow cookies for this site.',
      de: 'Öffnen Sie die Seite erneut und senden Sie das Formular dort ab. Tritt das Problem wieder auf, erlauben Sie Cookies für diese Website.',
    }),
  },
  formFromElsewhere: {
    what: words({ en: 'Another site sent this form', de: 'Eine andere Website hat dieses Formular gesendet' }),
    why: words({
      en: 'Only forms of this service’s own pages are accepted. Nothing was changed.',
      de: 'Nur Formulare von eigenen Seiten dieses Dienstes werden angenommen. Es wurde nichts geändert.',
    }),
    whatToDo: words({
      en: 'Open the page again and submit the form there.',
      de: 'Öffnen Sie die Seite erneut und senden Sie das Formular dort ab.',
    }),
  },
  otherAddress: ({ received, expected, setting }: { received: string; expected: string; setting: string }) => ({
    what: words({ en: 'This service expects another address', de: 'Dieser Dienst erwartet eine andere Adresse' }),
    why: words({
      en: html`The form came from <code>${received}</code>, but the service is set up for <code>${expected}</code>. Nothing was changed.`,
      de: html`Das Formular kam von <code>${received}</code>. Der Dienst ist aber für <code>${expected}</code> eingerichtet. Es wurde nichts geändert.`,
    }),
    whatToDo: words({
      en: html`Open <a href="${expected}">${expected}</a> instead. If that doesn’t work, tell the administrator that <code>${setting}</code> must be the address that users open.`,
      de: html`Öffnen Sie stattdessen <a href="${expected}">${expected}</a>. Funktioniert das nicht, sagen Sie dem Administrator, dass <code>${setting}</code> die Adresse sein muss, die Benutzer öffnen.`,
    }),
  }),
  tooManyActs: (seconds: number) => ({
    what: words({ en: 'Too many changes', de: 'Zu viele Änderungen' }),
    why: words({
      en: 'You have made too many changes in a short time. Nothing was changed.',
      de: 'Sie haben in kurzer Zeit zu viele Änderungen vorgenommen. Es wurde nichts geändert.',
    }),
    whatToDo: words({
      en: `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      de: `Versuchen Sie es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} erneut.`,
    }),
  }),
  dataAway: {
    what: words({ en: 'The service is temporarily unavailable', de: 'Der Dienst ist vorübergehend nicht verfügbar' }),
    why: words({
      en: 'The database isn’t responding. Nothing was changed.',
      de: 'Die Datenbank antwortet nicht. Es wurde nichts geändert.',
    }),
    whatToDo: words({
      en: 'Wait a moment, then try again.',
      de: 'Warten Sie einen Moment und versuchen Sie es erneut.',
    }),
  },
  requestMalformed: {
    what: words({ en: 'Invalid form data', de: 'Ungültige Formulardaten' }),
    why: words({
      en: 'Your browser sent too much data, or something other than a form. Nothing was changed.',
      de: 'Ihr Browser hat zu viele Daten oder kein Formular gesendet. Es wurde nichts geändert.',
    }),
    whatToDo: words({
      en: 'Open the page again and submit the form there.',
      de: 'Öffnen Sie die Seite erneut und senden Sie das Formular dort ab.',
    }),
  },
  cookiesTooLarge: (host: string) => ({
    what: words({ en: 'Your browser sends too many cookies', de: 'Ihr Browser sendet zu viele Cookies' }),
    why: words({
      en: `The cookies for ${host} are larger than 16 kB. They include those of other programs on this host, also on other ports.`,
      de: `Die Cookies für ${host} sind größer als 16 kB. Dazu gehören auch die anderer Programme auf diesem Host, selbst auf anderen Ports.`,
    }),
    whatToDo: words({
      en: `Delete the cookies for ${host} in your browser, or use a private window. Then open the page again.`,
      de: `Löschen Sie in Ihrem Browser die Cookies für ${host}, oder verwenden Sie ein privates Fenster. Öffnen Sie dann die Seite erneut.`,
    }),
  }),
  urlTooLong: {
    what: words({ en: 'This URL is too long', de: 'Diese URL ist zu lang' }),
    why: words({
      en: 'The URL and the cookies together can have 16 kB.',
      de: 'URL und Cookies dürfen zusammen 16 kB groß sein.',
    }),
    whatToDo: words({
      en: 'Go back to the page that led here. If you develop it, shorten the URL.',
      de: 'Kehren Sie zu der Seite zurück, die hierher geführt hat. Wenn Sie diese Seite entwickeln, kürzen Sie die URL.',
    }),
  },
  unreadable: {
    what: words({ en: 'Unreadable request', de: 'Unlesbare Anfrage' }),
    why: words({
      en: 'What arrived is not valid HTTP. A proxy may have changed it.',
      de: 'Was ankam, ist kein gültiges HTTP. Möglicherweise hat ein Proxy es verändert.',
    }),
    whatToDo: words({
      en: 'Open the page again. If it keeps happening, tell the administrator.',
      de: 'Öffnen Sie die Seite erneut. Tritt der Fehler wieder auf, informieren Sie den Administrator.',
    }),
  },
  fault: {
    what: words({ en: 'Something went wrong', de: 'Etwas ist schiefgegangen' }),
    why: words({
      en: 'An internal error occurred. It isn’t your fault.',
      de: 'Ein interner Fehler ist aufgetreten. Das liegt nicht an Ihnen.',
    }),
    whatToDo: words({
      en: 'Try again. If it keeps happening, send the error ID to the administrator.',
      de: 'Versuchen Sie es erneut. Tritt der Fehler wieder auf, nennen Sie dem Administrator die Fehler-ID.',
    }),
  },
}
