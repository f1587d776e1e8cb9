import { html, type Words, words } from '../../html.ts'

/** The list of somebody's bots. */
export const botListWords = {
  caption: words({
    en: 'Bots that you own or work on, the oldest first',
    de: 'Bots, die Ihnen gehören oder an denen Sie mitwirken, die ältesten zuerst',
  }),
  bot: words({ en: 'Bot', de: 'Bot' }),
  state: words({ en: 'State', de: 'Zustand' }),
  hosted: words({ en: 'Hosted', de: 'Betrieben' }),
  notSaidWhere: words({ en: 'Not said where', de: 'Kein Ort angegeben' }),
  lastHeartbeat: words({ en: 'Last heartbeat', de: 'Letztes Lebenszeichen' }),
  status: words({ en: 'Status', de: 'Status' }),
  public: words({ en: 'Public', de: 'Öffentlich' }),
  notPublic: words({ en: 'Not public', de: 'Nicht öffentlich' }),
  earlier: words({ en: 'Earlier bots', de: 'Ältere Bots' }),
  later: words({ en: 'Later bots', de: 'Neuere Bots' }),
  pageOf: (page: number, pages: number, bots: number): Words =>
    words({ en: `Page ${page} of ${pages}, ${bots} bots`, de: `Seite ${page} von ${pages}, ${bots} Bots` }),
  /** Bots are made on the platform, not here; this is what somebody without one can do. */
  none: {
    title: words({ en: 'You have no bot yet', de: 'Sie haben noch keinen Bot' }),
    steps: words({
      en: html`<p>Bots are made on the platform that this service belongs to. Once it has made one for you, the bot stands here with its state, its webhooks and its logs.</p>
<ol>
<li>Make a bot on the platform, while signed in with this account. Its operator can also make one for you; give them your user id, which stands on <a href="/account">your account page</a>.</li>
<li>If somebody has a bot already and wants you to work on it, they add you as a coworker with your e-mail address.</li>
<li>Open the bot here, switch its hosting on, and connect a runtime that runs it.</li>
</ol>`,
      de: html`<p>Bots entstehen auf der Plattform, zu der dieser Dienst gehört. Hat sie einen für Sie angelegt, steht er hier mit seinem Zustand, seinen Webhooks und seinem Protokoll.</p>
<ol>
<li>Legen Sie auf der Plattform einen Bot an, während Sie mit diesem Konto angemeldet sind. Auch wer die Plattform betreibt, kann einen für Sie anlegen und braucht dafür Ihre Benutzer-Id; sie steht auf <a href="/account">Ihrer Kontoseite</a>.</li>
<li>Hat jemand schon einen Bot, an dem Sie mitwirken sollen, werden Sie dort mit Ihrer E-Mail-Adresse aufgenommen.</li>
<li>Öffnen Sie den Bot hier, schalten Sie sein Hosting ein und verbinden Sie eine Runtime, die ihn betreibt.</li>
</ol>`,
    }),
  },
}
