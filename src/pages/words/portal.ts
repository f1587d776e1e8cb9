import {
  applicationNameMaxCharacters,
  redirectUriMaxCharacters,
  redirectUrisPerApplication,
  secretLabelMaxCharacters,
} from '../../domain/limits/limits.ts'
import { type Html, html, type Words, words } from '../html.ts'

/** Client id and client secrets of an application. */
export const credentialsWords = {
  title: words({ en: 'Credentials', de: 'Zugangsdaten' }),
  about: words({
    en: 'The client id may stand in links and pages. The client secret stays on your server.',
    de: 'Die Client-ID darf in Links und Seiten stehen. Das Client-Secret bleibt auf Ihrem Server.',
  }),
  clientId: words({ en: 'Client id', de: 'Client-ID' }),
  clientSecret: words({ en: 'Client secret', de: 'Client-Secret' }),
  secondSecret: (label: string): Words => words({ en: `Second secret: ${label}`, de: `Zweites Secret: ${label}` }),
  made: (when: Html): Words => words({ en: html`Created ${when}.`, de: html`Erstellt ${when}.` }),
  lastUsed: (when: Html): Words => words({ en: html`Last used ${when}.`, de: html`Zuletzt benutzt ${when}.` }),
  neverUsed: words({ en: 'No server has used it yet.', de: 'Noch kein Server hat es benutzt.' }),
  onlyItsEnd: words({ en: 'Only its end is known here.', de: 'Hier ist nur sein Ende bekannt.' }),
  rotate: words({ en: 'Rotate secret', de: 'Secret erneuern' }),
  rotateEffect: words({
    en: 'Creates a new secret. All current secrets stop working immediately.',
    de: 'Erstellt ein neues Secret. Alle bisherigen Secrets gelten sofort nicht mehr.',
  }),
  addSecond: words({ en: 'Make a second secret', de: 'Zweites Secret erstellen' }),
  addSecondEffect: words({
    en: 'The current one keeps working, so you can update your servers one by one.',
    de: 'Das bisherige gilt weiter. So können Sie Ihre Server nacheinander umstellen.',
  }),
  revoke: words({ en: 'Revoke', de: 'Widerrufen' }),
  revokeSecret: words({ en: 'Revoke secret', de: 'Secret widerrufen' }),
  once: {
    registered: words({ en: 'Your application is registered', de: 'Ihre Anwendung ist registriert' }),
    rotated: words({ en: 'The client secret is rotated', de: 'Das Client-Secret ist erneuert' }),
    added: words({ en: 'The second secret is made', de: 'Das zweite Secret ist erstellt' }),
  },
  oldIsDead: words({
    en: 'All earlier secrets have stopped working. ',
    de: 'Alle bisherigen Secrets gelten nicht mehr. ',
  }),
  copyNow: words({
    en: html`Copy the client secret to your server’s settings now: <strong>it is shown this once</strong>, and nobody can show it again. If it is lost, rotate it.`,
    de: html`Kopieren Sie das Client-Secret jetzt in die Einstellungen Ihres Servers: <strong>Es wird nur dieses eine Mal gezeigt</strong>, und niemand kann es noch einmal zeigen. Ging es verloren, erneuern Sie es.`,
  }),
  revoked: words({
    en: 'The secret is revoked and no longer works.',
    de: 'Das Secret ist widerrufen und gilt nicht mehr.',
  }),
}

/** The pages that ask once more, and the one that makes a second secret. */
export const secretPagesWords = {
  rotateTitle: (name: string): Words =>
    words({ en: `Rotate the client secret of ${name}?`, de: `Client-Secret von ${name} erneuern?` }),
  firstSecret: words({ en: 'You get a client secret, once.', de: 'Sie erhalten ein Client-Secret, ein einziges Mal.' }),
  rotateEffect: (lastFour: readonly string[]): Words =>
    words({
      en: html`All current secrets stop working immediately: ${masked(lastFour)}. The new secret is shown once.`,
      de: html`Alle bisherigen Secrets gelten sofort nicht mehr: ${masked(lastFour)}. Das neue Secret wird nur einmal gezeigt.`,
    }),
  rotateMeanwhile: words({
    en: 'Until your application has the new secret, it can’t exchange codes or refresh tokens. Tokens that it already holds stay valid.',
    de: 'Bis Ihre Anwendung das neue Secret hat, kann sie weder Codes einlösen noch Tokens erneuern. Ihre vorhandenen Tokens bleiben gültig.',
  }),
  keepCurrent: words({ en: 'Keep current secrets', de: 'Bisherige Secrets behalten' }),
  revokeTitle: (name: string): Words =>
    words({ en: `Revoke a client secret of ${name}?`, de: `Ein Client-Secret von ${name} widerrufen?` }),
  revokeEffect: (ends: string, stays: string): Words =>
    words({
      en: html`The secret ${masked([ends])} stops working now. ${masked([stays])} works on.`,
      de: html`Das Secret ${masked([ends])} gilt ab sofort nicht mehr. ${masked([stays])} gilt weiter.`,
    }),
  revokeMeanwhile: words({
    en: 'A server that still uses it can not exchange codes or refresh tokens any more. Tokens stay valid.',
    de: 'Ein Server, der es noch benutzt, kann dann weder Codes einlösen noch Tokens erneuern. Tokens bleiben gültig.',
  }),
  lastUsed: (when: Html): Words =>
    words({ en: html`It was last used ${when}.`, de: html`Zuletzt benutzt wurde es ${when}.` }),
  neverUsed: words({ en: 'It was not used yet.', de: 'Es wurde noch nicht benutzt.' }),
  keepBoth: words({ en: 'Keep both', de: 'Beide behalten' }),
  addTitle: words({ en: 'Make a second secret', de: 'Zweites Secret erstellen' }),
  addAbout: words({
    en: 'It works beside the current one. Give it to your servers one by one; when all have it, revoke the other. If a secret may have been seen by others, rotate instead.',
    de: 'Es gilt neben dem jetzigen. Geben Sie es Ihren Servern nacheinander; haben es alle, widerrufen Sie das andere. Könnten andere ein Secret gesehen haben, erneuern Sie es stattdessen.',
  }),
  label: words({ en: 'Label', de: 'Bezeichnung' }),
  labelHint: words({
    en: 'What you recognise it by, such as the name of the server that gets it.',
    de: 'Woran Sie es erkennen, etwa der Name des Servers, der es bekommt.',
  }),
  cancel: words({ en: 'Cancel', de: 'Abbrechen' }),
  labelMissing: words({
    en: 'Enter a label, so that you can tell the two apart.',
    de: 'Geben Sie eine Bezeichnung ein, damit Sie die beiden unterscheiden können.',
  }),
  labelTooLong: words({
    en: `Use at most ${secretLabelMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${secretLabelMaxCharacters} Zeichen.`,
  }),
  tooMany: words({
    en: 'There are two secrets already. Revoke one first.',
    de: 'Es gibt schon zwei Secrets. Widerrufen Sie zuerst eines.',
  }),
  secretUnknown: words({
    en: 'That secret is gone already. Nothing was changed.',
    de: 'Dieses Secret gibt es nicht mehr. Nichts wurde geändert.',
  }),
  secretNeeded: words({
    en: 'It is the only secret, and your application needs one. Rotate it instead.',
    de: 'Es ist das einzige Secret, und Ihre Anwendung braucht eines. Erneuern Sie es stattdessen.',
  }),
}

function masked(lastFour: readonly string[]): Html {
  return html`${lastFour.map((end, index) => html`${index > 0 && ', '}<code>••••${end}</code>`)}`
}

/** Asked before an application is deleted. */
export const deletionWords = {
  title: (name: string): Words => words({ en: `Delete ${name}?`, de: `${name} löschen?` }),
  effect: (clientId: string): Words =>
    words({
      en: html`All its tokens stop working now, and nobody can sign in through it any more. Its client id <code>${clientId}</code> is never given out again.`,
      de: html`Alle ihre Tokens gelten ab sofort nicht mehr, und niemand kann sich mehr durch sie anmelden. Ihre Client-ID <code>${clientId}</code> wird nie wieder vergeben.`,
    }),
  final: words({ en: 'This can not be undone.', de: 'Das lässt sich nicht rückgängig machen.' }),
  delete: words({ en: 'Delete application', de: 'Anwendung löschen' }),
  keep: words({ en: 'Keep it', de: 'Behalten' }),
}

/** Settings of an application. */
export const settingsWords = {
  title: words({ en: 'Settings', de: 'Einstellungen' }),
  about: words({ en: 'Changes hold from the next request on.', de: 'Änderungen gelten ab der nächsten Anfrage.' }),
  verified: words({ en: 'Verified', de: 'Geprüft' }),
  verifiedTitle: words({ en: 'This application is verified', de: 'Diese Anwendung ist geprüft' }),
  firstPartyTitle: words({
    en: 'Users sign in to this application without being asked',
    de: 'Bei dieser Anwendung melden sich Benutzer ohne Rückfrage an',
  }),
  marksEnd: words({
    en: 'Changing the name, website, environment or redirect URIs ends this until an administrator restores it.',
    de: 'Wenn Sie Namen, Website, Umgebung oder Redirect-URIs ändern, endet das, bis ein Administrator es wiederherstellt.',
  }),
  save: words({ en: 'Save changes', de: 'Änderungen speichern' }),
  discard: words({ en: 'Discard changes', de: 'Änderungen verwerfen' }),
  notSaved: words({ en: 'Changes not saved', de: 'Änderungen nicht gespeichert' }),
  deleteTitle: words({ en: 'Delete', de: 'Löschen' }),
  deleteAbout: words({
    en: 'All its tokens stop working at once. You are asked once more.',
    de: 'Alle ihre Tokens gelten sofort nicht mehr. Sie werden noch einmal gefragt.',
  }),
  savedUnverified: words({
    en: 'Your changes are saved. The application is no longer verified. Ask an administrator to verify it again.',
    de: 'Ihre Änderungen sind gespeichert. Die Anwendung ist nicht mehr geprüft. Bitten Sie einen Administrator, sie neu zu prüfen.',
  }),
  savedAsking: words({
    en: 'Your changes are saved. Users are now asked for their consent.',
    de: 'Ihre Änderungen sind gespeichert. Benutzer werden jetzt um ihre Zustimmung gebeten.',
  }),
  saved: words({
    en: 'Your changes are saved and hold from now on.',
    de: 'Ihre Änderungen sind gespeichert und gelten ab jetzt.',
  }),
}

/** How an application is used, and what of its requests failed. */
export const usageWords = {
  title: words({ en: 'Use', de: 'Nutzung' }),
  about: words({
    en: 'The last 30 days, by days in UTC. Refreshes are counted when they succeed.',
    de: 'Die letzten 30 Tage, nach Tagen in UTC. Erneuerungen zählen, wenn sie gelingen.',
  }),
  users: (count: number): Words =>
    count === 1
      ? words({
          en: html`<strong>1</strong> user has given it access.`,
          de: html`<strong>1</strong> Benutzer hat ihr Zugriff gegeben.`,
        })
      : words({
          en: html`<strong>${count}</strong> users have given it access.`,
          de: html`<strong>${count}</strong> Benutzer haben ihr Zugriff gegeben.`,
        }),
  grants: words({ en: 'Grants', de: 'Erteilte Zugriffe' }),
  refreshes: words({ en: 'Refreshes', de: 'Erneuerungen' }),
  errors: words({ en: 'Failed requests', de: 'Fehlgeschlagene Anfragen' }),
  today: words({ en: 'today', de: 'heute' }),
  highest: (figure: number): Words => words({ en: `at most ${figure} a day`, de: `höchstens ${figure} am Tag` }),
  asTable: words({ en: 'Figures of each day', de: 'Zahlen jedes Tages' }),
  day: words({ en: 'Day', de: 'Tag' }),
  nothing: words({ en: 'Nothing happened on these days.', de: 'An diesen Tagen ist nichts geschehen.' }),
}

export const failuresWords = {
  title: words({ en: 'Failed requests', de: 'Fehlgeschlagene Anfragen' }),
  about: words({
    en: 'The latest 50 of the last 30 days, each with what was answered. No code, token or secret is kept. Whoever knows the client id can cause some of them.',
    de: 'Die letzten 50 der vergangenen 30 Tage, jede mit der Antwort darauf. Weder Codes noch Tokens noch Secrets werden aufgehoben. Manche kann jeder verursachen, der die Client-ID kennt.',
  }),
  none: words({
    en: 'No request of this application has failed in the last 30 days.',
    de: 'In den letzten 30 Tagen ist keine Anfrage dieser Anwendung fehlgeschlagen.',
  }),
  caption: words({ en: 'Failed requests, newest first', de: 'Fehlgeschlagene Anfragen, neueste zuerst' }),
  cause: words({ en: 'Cause', de: 'Ursache' }),
  where: words({ en: 'Where', de: 'Wo' }),
  when: words({ en: 'When', de: 'Wann' }),
  places: {
    consent: words({ en: 'Consent', de: 'Zustimmung' }),
    credentials: words({ en: 'Client authentication', de: 'Client-Authentisierung' }),
    token: words({ en: 'Token', de: 'Token' }),
    userinfo: words({ en: 'Userinfo', de: 'Userinfo' }),
  },
  pageShown: words({ en: 'A page was shown, without a redirect.', de: 'Eine Seite wurde gezeigt, ohne Umleitung.' }),
  registeredNow: words({
    en: 'This redirect URI is registered now.',
    de: 'Dieser Redirect-URI ist inzwischen registriert.',
  }),
}

/** The fields of both application forms. */
export const fieldWords = {
  name: words({ en: 'Name', de: 'Name' }),
  nameHint: words({
    en: 'People see it when they are asked to allow your application.',
    de: 'Er wird gezeigt, wenn jemand Ihrer Anwendung Zugriff geben soll.',
  }),
  websiteUrl: words({ en: 'Website URL', de: 'Website-URL' }),
  websiteUrlHint: words({
    en: 'Where people learn who you are. It begins with https://.',
    de: 'Wo man erfährt, wer Sie sind. Sie beginnt mit https://.',
  }),
  environment: words({ en: 'Environment', de: 'Umgebung' }),
  environments: {
    production: words({ en: 'Production', de: 'Produktion' }),
    development: words({ en: 'Development', de: 'Entwicklung' }),
  },
  productionHint: words({
    en: 'Redirect URIs take https:// only.',
    de: 'Redirect-URIs beginnen immer mit https://.',
  }),
  developmentHint: words({
    en: html`Also <code>http://localhost</code> with its port, and <code>http://127.0.0.1</code> and <code>http://[::1]</code> on any port.`,
    de: html`Auch <code>http://localhost</code> mit seinem Port sowie <code>http://127.0.0.1</code> und <code>http://[::1]</code> auf jedem Port.`,
  }),
  redirectUris: words({ en: 'Redirect URIs', de: 'Redirect-URIs' }),
  redirectUri: words({ en: 'Redirect URI', de: 'Redirect-URI' }),
  redirectUrisHint: words({
    en: html`Where people return to, one a line, such as <code>https://acme.example/callback</code>. They are matched character by character: a slash at the end makes another address.`,
    de: html`Wohin man zurückkehrt, einer pro Zeile, etwa <code>https://acme.example/callback</code>. Sie werden Zeichen für Zeichen verglichen: Ein Schrägstrich am Ende macht eine andere Adresse daraus.`,
  }),
  addRedirectUri: words({ en: 'Add a redirect URI', de: 'Redirect-URI hinzufügen' }),
  remove: words({ en: 'Remove', de: 'Entfernen' }),
  nearDuplicates: {
    'slash-at-end': words({
      en: 'Two of these differ only in a slash at the end.',
      de: 'Zwei davon unterscheiden sich nur durch einen Schrägstrich am Ende.',
    }),
    case: words({
      en: 'Two of these differ only in capital and small letters.',
      de: 'Zwei davon unterscheiden sich nur durch Groß- und Kleinschreibung.',
    }),
    www: words({ en: 'Two of these differ only in “www.”.', de: 'Zwei davon unterscheiden sich nur durch „www.“.' }),
    port: words({
      en: 'Two of these differ only in the port.',
      de: 'Zwei davon unterscheiden sich nur durch den Port.',
    }),
  },
  nearDuplicatesMeaning: words({
    en: 'If your application uses both, all is well. Otherwise remove the one that it does not use.',
    de: 'Benutzt Ihre Anwendung beide, ist alles gut. Sonst entfernen Sie den, den sie nicht benutzt.',
  }),
  pkce: words({ en: 'PKCE', de: 'PKCE' }),
  pkceOptional: words({ en: 'Optional', de: 'Freiwillig' }),
  pkceOptionalHint: words({
    en: 'Checked whenever your application sends it.',
    de: 'Wird geprüft, wann immer Ihre Anwendung es sendet.',
  }),
  pkceRequired: words({ en: 'Required', de: 'Verlangt' }),
  pkceRequiredHint: words({
    en: html`An authorization request without <code>code_challenge</code> (S256) is refused. Choose it once your client library sends one: a stolen code is then worth nothing.`,
    de: html`Eine Autorisierungsanfrage ohne <code>code_challenge</code> (S256) wird abgelehnt. Wählen Sie das, sobald Ihre Client-Bibliothek eine sendet: Ein gestohlener Code ist dann nichts wert.`,
  }),
}

/** The list of one's applications. */
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

/** Beside a field, what is wrong with it. Those on a redirect URI go on from the address itself. */
export const fieldErrorWords = {
  nameMissing: words({
    en: 'Enter a name for your application.',
    de: 'Geben Sie einen Namen für Ihre Anwendung ein.',
  }),
  nameTooLong: words({
    en: `Use at most ${applicationNameMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${applicationNameMaxCharacters} Zeichen.`,
  }),
  websiteMalformed: words({
    en: 'This is not a web address. It looks like https://acme.example.',
    de: 'Das ist keine Webadresse. Sie sieht aus wie https://acme.example.',
  }),
  websiteNotHttps: words({
    en: 'The website takes https:// only. Change the beginning.',
    de: 'Die Website muss mit https:// beginnen. Ändern Sie den Anfang.',
  }),
  redirectUrisMissing: words({
    en: 'Enter at least one redirect URI: the address of your application to which people return, such as https://acme.example/callback.',
    de: 'Geben Sie mindestens einen Redirect-URI ein: die Adresse Ihrer Anwendung, zu der man zurückkehrt, etwa https://acme.example/callback.',
  }),
  redirectUrisTooMany: words({
    en: `Use at most ${redirectUrisPerApplication} redirect URIs.`,
    de: `Verwenden Sie höchstens ${redirectUrisPerApplication} Redirect-URIs.`,
  }),
  tooLong: words({
    en: `has more than ${redirectUriMaxCharacters} characters. Shorten it.`,
    de: `hat mehr als ${redirectUriMaxCharacters} Zeichen. Kürzen Sie ihn.`,
  }),
  notAbsolute: words({
    en: 'is not a whole address. Begin with https:// and the host, such as https://acme.example/callback.',
    de: 'ist keine ganze Adresse. Beginnen Sie mit https:// und dem Host, etwa https://acme.example/callback.',
  }),
  characters: words({
    en: 'has a character that no address holds, such as a space. Write it percent-encoded, and one address a line.',
    de: 'enthält ein Zeichen, das in keiner Adresse steht, etwa ein Leerzeichen. Schreiben Sie es prozentkodiert und nur eine Adresse pro Zeile.',
  }),
  wildcard: words({
    en: 'has a *. Redirect URIs are matched character by character, so list each address on a line of its own.',
    de: 'enthält ein *. Redirect-URIs werden Zeichen für Zeichen verglichen; geben Sie jede Adresse in einer eigenen Zeile an.',
  }),
  host: words({
    en: 'has a host that browsers rewrite. Write it the way the address bar shows it.',
    de: 'hat einen Host, den Browser umschreiben. Schreiben Sie ihn so, wie die Adresszeile ihn zeigt.',
  }),
  fragment: words({
    en: 'has a part behind #, which never reaches your server. Leave it out.',
    de: 'hat einen Teil hinter #, der Ihren Server nie erreicht. Lassen Sie ihn weg.',
  }),
  user: words({
    en: 'has a user name before the @. Leave it out.',
    de: 'hat einen Benutzernamen vor dem @. Lassen Sie ihn weg.',
  }),
  httpInProduction: words({
    en: 'begins with http://. Production takes https:// only: change it, or choose Development while you build on your own machine.',
    de: 'beginnt mit http://. In der Produktion gilt nur https://: Ändern Sie ihn, oder wählen Sie Entwicklung, solange Sie auf Ihrem eigenen Rechner bauen.',
  }),
  notHttps: words({
    en: 'does not begin with https://. Change the beginning.',
    de: 'beginnt nicht mit https://. Ändern Sie den Anfang.',
  }),
  httpElsewhere: words({
    en: 'begins with http://, which is for localhost, 127.0.0.1 and [::1] only. Change it to https://.',
    de: 'beginnt mit http://, was nur für localhost, 127.0.0.1 und [::1] gilt. Ändern Sie das in https://.',
  }),
}

/** Where an application is registered. */
export const registrationWords = {
  title: listWords.register,
  failed: words({ en: 'Application not registered', de: 'Anwendung nicht registriert' }),
  submit: words({ en: 'Register application', de: 'Anwendung registrieren' }),
}

/** The authorization URL generator. */
export const generatorWords = {
  title: words({ en: 'Authorization URL', de: 'Autorisierungs-URL' }),
  about: words({
    en: 'Lead people here to sign in. Ask for what you need now; you can ask for more later.',
    de: 'Hierhin führen Sie Menschen, die sich anmelden. Bitten Sie um das, was Sie jetzt brauchen; um mehr können Sie später bitten.',
  }),
  scopes: words({ en: 'Scopes', de: 'Scopes' }),
  asksForPin: words({ en: 'asks for the PIN', de: 'fragt nach der PIN' }),
  state: words({ en: 'State', de: 'State' }),
  stateHint: words({
    en: 'Comes back unchanged. In your program, make a new unguessable one for each sign-in, and compare it.',
    de: 'Kommt unverändert zurück. Erzeugen Sie in Ihrem Programm für jede Anmeldung einen neuen, nicht erratbaren, und vergleichen Sie ihn.',
  }),
  consentScreen: words({ en: 'Consent screen', de: 'Zustimmungsseite' }),
  skip: words({
    en: 'Skip it for people who have allowed all of this before',
    de: 'Überspringen, wenn jemand all das schon erlaubt hat',
  }),
  skipHint: words({
    en: html`The others come back with <code>error=consent_required</code>.`,
    de: html`Die anderen kommen mit <code>error=consent_required</code> zurück.`,
  }),
  make: words({ en: 'Make the URL', de: 'URL erzeugen' }),
  sendChallenge: words({ en: 'Send a code challenge', de: 'Eine Code-Challenge senden' }),
  sendChallengeHint: words({
    en: html`Adds <code>code_challenge</code> (S256), made of a new verifier. In your program, make a new pair for each sign-in.`,
    de: html`Fügt <code>code_challenge</code> (S256) hinzu, aus einem neuen Verifier. Erzeugen Sie in Ihrem Programm für jede Anmeldung ein neues Paar.`,
  }),
  verifier: words({ en: 'Code verifier', de: 'Code-Verifier' }),
  verifierHint: words({
    en: html`Your server keeps it and sends it as <code>code_verifier</code> with the code. It is in no address and is not stored here.`,
    de: html`Ihr Server hebt ihn auf und sendet ihn als <code>code_verifier</code> mit dem Code. Er steht in keiner Adresse und wird hier nicht gespeichert.`,
  }),
  challenge: words({ en: 'Code challenge', de: 'Code-Challenge' }),
  newPair: words({ en: 'Make a new pair', de: 'Neues Paar erzeugen' }),
  pkceRequired: words({
    en: html`This application requires PKCE. Without a code challenge this URL comes back with <code>error=invalid_request</code>.`,
    de: html`Diese Anwendung verlangt PKCE. Ohne Code-Challenge kommt diese URL mit <code>error=invalid_request</code> zurück.`,
  }),
  open: words({ en: 'Open it in a new tab', de: 'In einem neuen Tab öffnen' }),
  tryOut: words({ en: 'Try it out', de: 'Ausprobieren' }),
  tryOutAbout: words({
    en: 'Go through the whole flow yourself, with the scopes, state and consent screen chosen above: consent, code, tokens, userinfo, refresh and revocation. The portal receives the answers in place of your application and shows each request with its answer. You are asked for consent as everybody is.',
    de: 'Gehen Sie den ganzen Ablauf selbst durch, mit den oben gewählten Scopes, State und Zustimmungsseite: Zustimmung, Code, Tokens, Userinfo, Erneuern und Widerruf. Das Portal empfängt die Antworten an der Stelle Ihrer Anwendung und zeigt jede Anfrage mit ihrer Antwort. Um Zustimmung werden Sie gebeten wie alle.',
  }),
  tryIt: words({ en: 'Try it', de: 'Ausprobieren' }),
  scopeMissing: words({
    en: 'Choose at least one scope. A request without one is refused.',
    de: 'Wählen Sie mindestens einen Scope. Eine Anfrage ohne Scope wird abgelehnt.',
  }),
}

/** What the application's server does with the code. */
export const exchangeWords = {
  title: words({ en: 'Exchange the code', de: 'Code einlösen' }),
  about: words({
    en: html`A code works once, for 5 minutes. Access tokens live for 15 minutes; with <code>offline_access</code> you also get a refresh token, for 30 days and a new one at each use.`,
    de: html`Ein Code gilt einmal und 5 Minuten lang. Access-Tokens leben 15 Minuten; mit <code>offline_access</code> erhalten Sie auch ein Refresh-Token, für 30 Tage und bei jeder Benutzung ein neues.`,
  }),
  metadata: words({ en: 'Metadata', de: 'Metadaten' }),
}

/** What happened with an application. */
export const activityWords = {
  title: words({ en: 'Recent activity', de: 'Letzte Ereignisse' }),
  about: words({
    en: 'What you, the people who use it, and its own calls did. Where people browse from is not shown.',
    de: 'Was Sie, ihre Benutzer und ihre eigenen Aufrufe getan haben. Von wo aus jemand surft, wird nicht gezeigt.',
  }),
  nothing: words({
    en: 'Nothing yet. Grants, revocations and changes will stand here.',
    de: 'Noch nichts. Erteilte Zugriffe, Widerrufe und Änderungen werden hier stehen.',
  }),
  all: words({ en: 'All activity', de: 'Alle Ereignisse' }),
  pageTitle: (name: string): Words => words({ en: `Activity of ${name}`, de: `Ereignisse von ${name}` }),
  heading: words({ en: 'Activity', de: 'Ereignisse' }),
  kept: words({
    en: 'Kept for 400 days. Where the people who use it browse from is not shown.',
    de: '400 Tage lang aufgehoben. Von wo aus ihre Benutzer surfen, wird nicht gezeigt.',
  }),
  nothingBefore: words({ en: 'There is nothing before this.', de: 'Davor gibt es nichts.' }),
}

/** The portal's own sign-in, and what there is not. */
export const portalSignInWords = {
  signedOut: words({ en: 'Signed out', de: 'Abgemeldet' }),
  signedOutHeading: words({
    en: 'You are signed out of the developer portal',
    de: 'Sie sind vom Entwicklerportal abgemeldet',
  }),
  accountToo: (address: string): Words =>
    words({
      en: html`You may still be signed in to your account itself. On a computer that others use, <a href="${address}">sign out there</a> too.`,
      de: html`Bei Ihrem Konto selbst sind Sie vielleicht noch angemeldet. An einem Computer, den auch andere benutzen, <a href="${address}">melden Sie sich dort</a> ebenfalls ab.`,
    }),
  signIn: words({ en: 'Sign in', de: 'Anmelden' }),
  startAgain: words({ en: 'Start again', de: 'Neu beginnen' }),
  faults: {
    'state-unknown': {
      what: words({
        en: 'This sign-in does not belong to this browser',
        de: 'Diese Anmeldung gehört nicht zu diesem Browser',
      }),
      why: words({
        en: 'It was begun in another browser, more than an hour ago, or your browser did not keep the portal’s cookie. You are not signed in.',
        de: 'Sie wurde in einem anderen Browser begonnen, vor mehr als einer Stunde, oder Ihr Browser hat das Cookie des Portals nicht behalten. Sie sind nicht angemeldet.',
      }),
      whatToDo: words({
        en: 'Start again from here. If it happens again, allow cookies for this site.',
        de: 'Beginnen Sie hier neu. Geschieht es wieder, erlauben Sie Cookies für diese Website.',
      }),
    },
    denied: {
      what: words({ en: 'You are not signed in', de: 'Sie sind nicht angemeldet' }),
      why: words({
        en: 'The sign-in was stopped before it was finished. Nothing was shared.',
        de: 'Die Anmeldung wurde abgebrochen. Nichts wurde weitergegeben.',
      }),
      whatToDo: words({ en: 'Start again when you want to.', de: 'Beginnen Sie neu, wann Sie möchten.' }),
    },
    refused: {
      what: words({
        en: 'This sign-in can not be finished',
        de: 'Diese Anmeldung lässt sich nicht abschließen',
      }),
      why: words({
        en: 'Its code was used already or is older than 5 minutes, as it is when the page is opened a second time.',
        de: 'Ihr Code wurde schon benutzt oder ist älter als 5 Minuten, etwa weil die Seite ein zweites Mal geöffnet wurde.',
      }),
      whatToDo: words({
        en: 'Start again: it is one step if you are still signed in to your account.',
        de: 'Beginnen Sie neu: Es ist ein Schritt, wenn Sie bei Ihrem Konto noch angemeldet sind.',
      }),
    },
  },
  noSuchApplication: {
    what: words({ en: 'There is no such application', de: 'Diese Anwendung gibt es nicht' }),
    why: words({
      en: 'It may be deleted, or it belongs to another account than the one you are signed in with.',
      de: 'Vielleicht ist sie gelöscht, oder sie gehört zu einem anderen Konto als dem, mit dem Sie angemeldet sind.',
    }),
    whatToDo: words({
      en: 'Check the address, or choose one of your applications.',
      de: 'Prüfen Sie die Adresse, oder wählen Sie eine Ihrer Anwendungen.',
    }),
  },
}

/** The API reference. */
export const referenceWords = {
  title: words({ en: 'API reference', de: 'API-Referenz' }),
  back: words({ en: 'Developer portal', de: 'Entwicklerportal' }),
  about: (address: string): Words =>
    words({
      en: html`The OAuth endpoints, as their OpenAPI description at <a href="${address}">${address}</a> has them.`,
      de: html`Die OAuth-Endpunkte, wie sie in ihrer OpenAPI-Beschreibung unter <a href="${address}">${address}</a> stehen. Was die Schnittstelle sagt, ist Englisch.`,
    }),
  query: words({ en: 'Query parameters', de: 'Query-Parameter' }),
  body: words({ en: 'Body', de: 'Body' }),
  answer: words({ en: 'Answer', de: 'Antwort' }),
  name: words({ en: 'Name and type', de: 'Name und Typ' }),
  required: words({ en: 'required', de: 'erforderlich' }),
  meaning: words({ en: 'Meaning', de: 'Bedeutung' }),
}
