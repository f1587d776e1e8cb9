import { html, type Words, words } from '../../../pages/html.ts'

/** Text for subscribing to mail about a bot's status. */
export const statusMailWords = {
  /** The button on the status page. */
  open: words({ en: 'Get emails', de: 'E-Mails erhalten' }),
  title: (bot: string): Words => words({ en: html`Emails about ${bot}`, de: html`E-Mails zu ${bot}` }),
  about: words({
    en: 'You get an email when the bot goes down, and when it is back online. Each email has a link to unsubscribe.',
    de: 'Sie erhalten eine E-Mail, wenn der Bot ausfällt und wenn er wieder online ist. Jede E-Mail enthält einen Link zum Abbestellen.',
  }),
  subscribe: words({ en: 'Subscribe', de: 'Abonnieren' }),
  toStatus: words({ en: 'View status', de: 'Status anzeigen' }),
  full: words({
    en: 'This bot can’t have more subscribers. Use the Atom feed instead.',
    de: 'Für diesen Bot sind keine weiteren Abonnements möglich. Nutzen Sie stattdessen den Atom-Feed.',
  }),
  sent: {
    title: words({ en: 'Check your inbox', de: 'Sehen Sie in Ihrem Posteingang nach' }),
    said: words({
      en: 'We’re sending you an email. Open its link within 24 hours to confirm your address.',
      de: 'Sie erhalten eine E-Mail. Öffnen Sie innerhalb von 24 Stunden den Link darin, um Ihre Adresse zu bestätigen.',
    }),
    nothingThere: words({
      en: 'No email? Check the spam folder. We don’t send another one within an hour, or if you’re already subscribed.',
      de: 'Keine E-Mail? Sehen Sie im Spam-Ordner nach. Innerhalb einer Stunde senden wir keine weitere, und auch nicht, wenn Sie die E-Mails bereits abonniert haben.',
    }),
  },
  confirm: {
    title: (bot: string): Words => words({ en: html`Get emails about ${bot}?`, de: html`E-Mails zu ${bot} erhalten?` }),
    said: (address: string): Words =>
      words({
        en: html`The emails go to <strong>${address}</strong>.`,
        de: html`Die E-Mails gehen an <strong>${address}</strong>.`,
      }),
    button: words({ en: 'Confirm address', de: 'Adresse bestätigen' }),
    done: words({ en: 'Subscribed', de: 'Abonniert' }),
    doneSaid: (bot: string): Words =>
      words({
        en: html`You’ll get an email when ${bot} goes down, and when it is back online.`,
        de: html`Sie erhalten eine E-Mail, wenn ${bot} ausfällt und wenn der Bot wieder online ist.`,
      }),
  },
  unsubscribe: {
    title: (bot: string): Words =>
      words({ en: html`Stop emails about ${bot}?`, de: html`E-Mails zu ${bot} abbestellen?` }),
    button: words({ en: 'Unsubscribe', de: 'Abbestellen' }),
    done: words({ en: 'Unsubscribed', de: 'Abbestellt' }),
    doneSaid: words({
      en: 'You won’t get further emails about this bot. Your address was deleted.',
      de: 'Sie erhalten keine E-Mails mehr zu diesem Bot. Ihre Adresse wurde gelöscht.',
    }),
  },
  invalid: {
    what: words({ en: 'This link no longer works', de: 'Dieser Link ist ungültig' }),
    why: words({
      en: 'It may have expired or been replaced by a newer link, or the URL may be incomplete.',
      de: 'Er ist abgelaufen oder wurde durch einen neueren Link ersetzt. Möglicherweise ist auch die URL unvollständig.',
    }),
    whatToDo: words({
      en: 'Subscribe again on the bot’s status page.',
      de: 'Abonnieren Sie die E-Mails auf der Statusseite des Bots erneut.',
    }),
  },
}
