import { html, type Words, words } from '../../../pages/html.ts'

export const generatorWords = {
  title: words({ en: 'Authorization URL', de: 'Autorisierungs-URL' }),
  url: words({ en: 'Send users to this URL to sign in', de: 'URL, unter der sich Benutzer anmelden' }),
  scopes: words({ en: 'Scopes', de: 'Scopes' }),
  state: words({ en: 'State', de: 'State' }),
  stateHint: words({
    en: 'Returned unchanged. Use a new unguessable value for each sign-in.',
    de: 'Wird unverändert zurückgegeben. Erzeugen Sie für jede Anmeldung einen neuen, nicht erratbaren Wert.',
  }),
  consentScreen: words({ en: 'Consent screen', de: 'Zustimmungsseite' }),
  skip: words({
    en: 'Skip for users who have already allowed these scopes',
    de: 'Überspringen, wenn diese Berechtigungen bereits erteilt sind',
  }),
  skipHint: words({
    en: html`Other users return with <code>error=consent_required</code>.`,
    de: html`Alle anderen Benutzer werden mit <code>error=consent_required</code> zurückgeleitet.`,
  }),
  make: words({ en: 'Generate URL', de: 'URL erzeugen' }),
  sendChallenge: words({ en: 'Send code challenge', de: 'Code-Challenge senden' }),
  sendChallengeHint: words({
    en: html`Adds <code>code_challenge</code> (S256) for a new verifier. Your program must generate a new pair for each sign-in.`,
    de: html`Ergänzt <code>code_challenge</code> (S256) passend zu einem neuen Verifier. Ihr Programm muss für jede Anmeldung ein neues Paar erzeugen.`,
  }),
  verifier: words({ en: 'Code verifier', de: 'Code-Verifier' }),
  verifierHint: words({
    en: html`Your server stores it and sends it with the code as <code>code_verifier</code>. It is not in any URL, and Gatehouse doesn’t store it.`,
    de: html`Ihr Server speichert den Verifier und sendet ihn mit dem Code als <code>code_verifier</code>. Der Verifier steht in keiner URL und wird von Gatehouse nicht gespeichert.`,
  }),
  challenge: words({ en: 'Code challenge', de: 'Code-Challenge' }),
  newPair: words({ en: 'Generate new pair', de: 'Neues Paar erzeugen' }),
  pkceRequired: words({
    en: html`This application requires PKCE. Without a code challenge, users return with <code>error=invalid_request</code>.`,
    de: html`Für diese Anwendung ist PKCE erforderlich. Ohne Code-Challenge werden Benutzer mit <code>error=invalid_request</code> zurückgeleitet.`,
  }),
  open: words({ en: 'Open in new tab', de: 'In neuem Tab öffnen' }),
  tryThese: words({ en: 'Try it', de: 'Ausprobieren' }),
  whatScopesAllow: words({ en: 'Guide: scopes', de: 'Anleitung: Scopes' }),
  rareChoices: words({ en: 'State, consent screen and PKCE', de: 'State, Zustimmungsseite und PKCE' }),
  scopeMissing: words({ en: 'Choose at least one scope.', de: 'Wählen Sie mindestens einen Scope.' }),
}

/** Text for the code samples that exchange the code. */
export const exchangeWords = {
  title: words({ en: 'Exchange the code', de: 'Code einlösen' }),
  about: words({
    en: html`A code works once, for 5 minutes. Access tokens last 15 minutes. With <code>offline_access</code> you also get a refresh token. It lasts 30 days and is replaced at each use.`,
    de: html`Ein Code ist 5 Minuten gültig und funktioniert nur einmal. Access-Tokens sind 15 Minuten gültig. Mit <code>offline_access</code> erhalten Sie auch ein Refresh-Token. Es ist 30 Tage gültig und wird bei jeder Verwendung ersetzt.`,
  }),
  metadata: words({ en: 'Metadata', de: 'Metadaten' }),
  guide: words({ en: 'Guide: sign users in', de: 'Anleitung: Benutzer anmelden' }),
}

export const referenceWords = {
  title: words({ en: 'API reference', de: 'API-Referenz' }),
  about: (address: string): Words =>
    words({
      en: html`The OAuth endpoints. The OpenAPI description at <a href="${address}">${address}</a> has the same content.`,
      de: html`Beschreibung der OAuth-Endpunkte auf Englisch. Den gleichen Inhalt hat die OpenAPI-Beschreibung unter <a href="${address}">${address}</a>.`,
    }),
  query: words({ en: 'Query parameters', de: 'Query-Parameter' }),
  body: words({ en: 'Body', de: 'Body' }),
  answer: words({ en: 'Response', de: 'Antwort' }),
  name: words({ en: 'Name and type', de: 'Name und Typ' }),
  required: words({ en: 'required', de: 'erforderlich' }),
  meaning: words({ en: 'Meaning', de: 'Bedeutung' }),
}
