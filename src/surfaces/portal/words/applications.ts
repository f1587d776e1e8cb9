import { type Text, t, type Words } from '../../../pages/html.ts'

export const listWords = {
  title: t`Applications`,
  caption: t`Your applications`,
  register: t`Register an application`,
  deleted: t`Application deleted. Its tokens no longer work.`,
  name: t`Name`,
  clientId: t`Client ID`,
  users: t`Users`,
  lastActivity: t`Last activity`,
  notUsedYet: t`Not used yet`,
  state: t`Environment`,
  searchField: t`Name, website or client ID`,
  failed: t`Failed in 7 days`,
  sorts: {
    newest: t`Newest first`,
    name: t`Name`,
    failed: t`Most failed requests`,
    used: t`Last activity`,
  },
  noneFound: t`No applications found`,
  noneFoundHint: t`Search for any part of the name, website or client ID.`,
  emptyTitle: t`You have no applications yet`,
  empty: t.html`<p>An application lets users sign in to your product with their account here. It reads only what they allow, such as their name, bots or logs.</p>
<ol>
<li>Register it. You get a client ID and a client secret.</li>
<li>Send users to its authorization URL. They give their consent and return with a code.</li>
<li>Exchange the code for tokens on your server, then read the user’s data.</li>
</ol>`,
}

export const registrationWords = {
  title: listWords.register,
  failed: t`Application not registered`,
  submit: t`Register application`,
}

/** Text on every page about an application. */
export const frameWords = {
  title: (part: Text, application: string): Words => t`${part}: ${application}`,
  partsOfApplication: t`Sections of this application`,
  verified: t`Verified`,
  disabled: t`Disabled`,
  disabledTitle: t`This application is disabled`,
  disabledMeans: t`An administrator disabled it. Users can’t sign in with it, and its requests, codes and tokens are rejected. Only an administrator can enable it again.`,
}

/** Text of the figures at the top of the overview. */
export const factsWords = {
  users: t`Users with access`,
  lastUsed: t`Last activity`,
  failed: t`Failed requests in 7 days`,
  seeLogs: (count: number): Words => t`${count}: see logs`,
}
