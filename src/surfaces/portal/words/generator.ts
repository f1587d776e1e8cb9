import { html, type Words, words } from '../../../pages/html.ts'

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
  guide: words({ en: 'Guide: sign users in', de: 'Anleitung: Benutzer anmelden' }),
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
