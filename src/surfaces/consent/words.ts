import { t, type Words } from '../../pages/html.ts'

export const consentWords = {
  title: (application: string): Words => t`Allow ${application}?`,
  question: (application: string): Words => t`Allow ${application} to use your account?`,
  verified: t`Verified`,
  unverified: t`Unverified`,
  verifiedMeans: t`An administrator has verified the application’s owner.`,
  account: t`Your account`,
  switchAccount: t`Use another account`,
  redirectsTo: (host: string): Words => t.html`Redirects to <strong>${host}</strong>`,
  willBeAble: (application: string): Words => t`${application} will be able to`,
  allAllowedBefore: (application: string): Words => t`You already allowed this. ${application} will be able to`,
  willAlsoBeAble: (application: string): Words => t`New: ${application} will also be able to`,
  allowedBefore: t`Already allowed`,
  deny: t`Deny`,
  allow: t`Allow`,
  eitherAnswer: (host: string): Words =>
    t.html`Either choice takes you to <strong>${host}</strong>. If you choose Deny, nothing is shared.`,
  notVerified: t`Gatehouse has not verified who runs this site. Allow access only if you came from this site.`,
  undo: t.html`You can revoke this at any time in <a href="/account/applications">your account</a>.`,
}

/** Text for the consent endpoint's error pages. */
export const consentFaultWords = {
  what: t`This sign-in link does not work`,
  whatToDo: t`Nothing was shared. Go back to the application. If you develop it, correct the link.`,
  clientIdMissing: t`The link doesn’t name an application: the parameter client_id is missing.`,
  clientIdRepeated: t`The link names an application more than once: the parameter client_id is repeated.`,
  clientUnknown: t`The application is not registered here, or was deleted.`,
  redirectUriMissing: (application: string): Words =>
    t`The link has no return URL for ${application}: the parameter redirect_uri is missing.`,
  redirectUriRepeated: (application: string): Words =>
    t`The link has more than one return URL for ${application}: the parameter redirect_uri is repeated.`,
  redirectUriUnregistered: (application: string): Words =>
    t`This redirect URI is not registered for ${application}. The application’s owner can add it under Redirect URIs, exactly as sent.`,
  forOwner: {
    title: t`Only you, the owner, can see this`,
    thenContinues: t`You’ll then continue signing in.`,
    allRegistered: t`All registered redirect URIs`,
    toSettings: (application: string): Words => t`Settings of ${application}`,
  },
  expired: {
    what: t`This sign-in has expired`,
    why: (application: string): Words =>
      t`You started to sign in to ${application} more than 30 minutes ago. Nothing was shared.`,
    whatToDo: t`Start again to sign in.`,
    startAgain: t`Start again`,
  },
  unknown: {
    what: t`Sign-in not found`,
    why: t`It may have expired, or the URL is incomplete. Nothing was shared.`,
    whatToDo: t`Go back to the application and start again.`,
  },
}
