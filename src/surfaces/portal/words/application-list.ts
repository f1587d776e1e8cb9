import { html, type Words, words } from '../../../pages/html.ts'

/** Texts of the list of applications. */
export const listWords = {
  title: words({ en: 'Applications', de: 'Anwendungen' }),
  caption: words({ en: 'Your applications, newest first', de: 'Ihre Anwendungen, neueste zuerst' }),
  register: words({ en: 'Register an application', de: 'Anwendung registrieren' }),
  deleted: words({
    en: 'The application is deleted, and its tokens have stopped working.',
    de: 'Die Anwendung ist gelöscht, und ihre Tokens gelten nicht mehr.',
  }),
  name: words({ en: 'Name', de: 'Name' }),
  clientId: words({ en: 'Client id', de: 'Client-ID' }),
  users: words({ en: 'Users', de: 'Benutzer' }),
  lastActivity: words({ en: 'Last activity', de: 'Zuletzt aktiv' }),
  notUsedYet: words({ en: 'Not used yet', de: 'Noch nicht benutzt' }),
  state: words({ en: 'State', de: 'Zustand' }),
  search: words({ en: 'Search', de: 'Suchen' }),
  searchField: words({ en: 'Name, website or client id', de: 'Name, Website oder Client-ID' }),
  all: words({ en: 'Show all', de: 'Alle zeigen' }),
  found: (count: number, all: number): Words =>
    words({ en: `${count} of ${all} applications`, de: `${count} von ${all} Anwendungen` }),
  noneFound: words({ en: 'None of your applications is like that', de: 'Keine Ihrer Anwendungen passt dazu' }),
  noneFoundHint: words({
    en: 'A part of the name, of the website or of the client id is enough.',
    de: 'Ein Teil des Namens, der Website oder der Client-ID genügt.',
  }),
  emptyTitle: words({ en: 'You have no application yet', de: 'Sie haben noch keine Anwendung' }),
  empty: words({
    en: html`<p>An application lets people sign in to what you build with their account here, and reads what they allow: their name, their bots, their logs.</p>
<ol>
<li>Register it. You get a client id and a client secret.</li>
<li>Send people to its authorization URL. They are asked, and come back to you with a code.</li>
<li>Exchange the code for tokens on your server, and ask for the person’s data.</li>
</ol>`,
    de: html`<p>Mit einer Anwendung melden sich Menschen mit ihrem hiesigen Konto bei dem an, was Sie bauen, und sie liest, was ihr erlaubt wird: den Namen, die Bots, die Protokolle.</p>
<ol>
<li>Registrieren Sie sie. Sie erhalten eine Client-ID und ein Client-Secret.</li>
<li>Schicken Sie Menschen zu ihrer Autorisierungs-URL. Sie werden gefragt und kommen mit einem Code zu Ihnen zurück.</li>
<li>Tauschen Sie den Code auf Ihrem Server gegen Tokens, und fragen Sie damit nach den Daten.</li>
</ol>`,
  }),
}

/** Texts of the registration form. */
export const registrationWords = {
  title: listWords.register,
  failed: words({ en: 'Application not registered', de: 'Anwendung nicht registriert' }),
  submit: words({ en: 'Register application', de: 'Anwendung registrieren' }),
}
