import { type Text, t, type Words } from '../../../pages/html.ts'

/** Text of a try-out's result. */
export const tryOutWords = {
  title: (application: string): Words => t`Test sign-in for ${application}`,
  allWentWell: t`The whole OAuth flow works. All issued tokens have been revoked.`,
  stoppedAt: (step: Text): Words => t`Stopped at “${step}”`,
  whatIsShown: t.html`These are the requests that your application sends and the responses that it gets. They come from a real authorization with your account. The portal acted as your application. The redirect URI is a portal URL that works only in your session. PKCE is always used. <code>$CLIENT_SECRET</code> stands for your client secret, which the portal doesn’t know.`,
  whatIsLeft: (account: string): Words =>
    t.html`Codes and tokens are shortened. All are used or revoked. You can reopen this page for an hour. Your consent stays until you revoke it in <a href="${account}">your account</a>.`,
  request: t`Request`,
  answer: t`Response`,
  reveal: t`Show full tokens`,
  wentWell: t`Succeeded`,
  refused: t`Rejected`,
  again: t`Start another try-out`,
  steps: {
    authorize: {
      title: t`Ask for consent`,
      about: t`In the browser. The response is a redirect to your redirect URI. Compare the state before you use the code.`,
    },
    token: {
      title: t`Exchange the code`,
      about: t`From your server, with the client secret.`,
    },
    userinfo: {
      title: t`Read userinfo`,
      about: t`With the access token in the header. The scopes determine what the response contains.`,
    },
    refresh: {
      title: t`Refresh`,
      about: t`Each refresh token works once. Replace it with the new one.`,
    },
    revoke: {
      title: t`Revoke`,
      about: t`Do this when a user disconnects your application. Revoking a refresh token revokes its whole token family.`,
    },
  },
  /** Explanations, keyed by the `error` from a redirect or by the reason for a refusal. */
  faults: {
    access_denied: t`You chose Deny, or you were signed in to another account on the consent screen. Only the owner can try out an application. Sign in with this account and choose Allow.`,
    consent_required: t`The consent screen was skipped, but you haven’t granted all of these permissions yet. Start again with the consent screen. Your application should handle this error the same way.`,
    invalid_request: t`A parameter is missing or malformed. The description in the response names it. Start again with other options.`,
    invalid_scope: t`One of the scopes does not exist. Start again and choose other scopes.`,
    'code-expired': t`This code is older than 5 minutes. Exchange codes as soon as they arrive.`,
    'code-replayed': t`This code was already used, because the page was opened twice. Its tokens are revoked. Start again.`,
    'code-revoked': t`The consent was revoked before the code was used. Start again.`,
    'verifier-wrong': t`This try-out started in another session: in another browser, or before you last signed in. Start again.`,
  },
  otherFault: t`The description in the response says what is wrong. Start again. If it keeps happening, check your application’s failed requests.`,
}
