import { t, type Words } from '../../../pages/html.ts'

export const generatorWords = {
  title: t`Authorization URL`,
  url: t`Send users to this URL to sign in`,
  scopes: t`Scopes`,
  state: t.in('parameter')`State`,
  stateHint: t`Returned unchanged. Use a new unguessable value for each sign-in.`,
  consentScreen: t`Consent screen`,
  skip: t`Skip for users who have already allowed these scopes`,
  skipHint: t.html`Other users return with <code>error=consent_required</code>.`,
  make: t`Generate URL`,
  sendChallenge: t`Send code challenge`,
  sendChallengeHint: t.html`Adds <code>code_challenge</code> (S256) for a new verifier. Your program must generate a new pair for each sign-in.`,
  verifier: t`Code verifier`,
  verifierHint: t.html`Your server stores it and sends it with the code as <code>code_verifier</code>. It is not in any URL, and Gatehouse doesn’t store it.`,
  challenge: t`Code challenge`,
  newPair: t`Generate new pair`,
  pkceRequired: t.html`This application requires PKCE. Without a code challenge, users return with <code>error=invalid_request</code>.`,
  open: t`Open in new tab`,
  tryThese: t`Try it`,
  whatScopesAllow: t`Guide: scopes`,
  rareChoices: t`State, consent screen and PKCE`,
  scopeMissing: t`Choose at least one scope.`,
}

/** Text for the code samples that exchange the code. */
export const exchangeWords = {
  title: t`Exchange the code`,
  about: t.html`A code works once, for 5 minutes. Access tokens last 15 minutes. With <code>offline_access</code> you also get a refresh token. It lasts 30 days and is replaced at each use.`,
  metadata: t`Metadata`,
  guide: t`Guide: sign users in`,
}

export const referenceWords = {
  title: t`API reference`,
  about: (address: string): Words =>
    t.html`The OAuth endpoints. The OpenAPI description at <a href="${address}">${address}</a> has the same content.`,
  query: t`Query parameters`,
  body: t.in('parameter')`Body`,
  answer: t`Response`,
  name: t`Name and type`,
  required: t`required`,
  meaning: t`Meaning`,
}
