import type { OverlappingKey } from '../../domain/bots/overlapping-key.ts'
import { BotRefusal, type BotRefusalReason } from '../../domain/bots/record-rules.ts'
import * as limits from '../../domain/limits/limits.ts'
import { confirmEmailFirst } from '../../pages/account-form.ts'
import type { ListedSecret } from '../../pages/components/secrets.ts'
import { form, oneOf } from '../../pages/form.ts'
import { done } from '../../pages/form-posts.ts'
import { errorsBy } from '../../pages/form-routes.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'

export const cannotBeUndone = t`This can’t be undone.`

const tooManyCollaborators = t`A bot can have at most ${limits.collaboratorsPerBot} collaborators. Remove one first.`

export const botDone = {
  hostingOn: done(t`Hosting is on. The bot goes online once a runtime sends a heartbeat for it.`),
  hostingOff: done(t`Hosting is off. New webhooks are kept for 24 hours.`),
  location: done(t`Hosting location saved.`),
  statusPublic: done(t`The bot’s status is public.`),
  statusClosed: done(t`The bot’s status is no longer public.`),
  coworkersTooMany: done(tooManyCollaborators, 'bad'),
  coworkerAdded: done(t`Collaborator added.`),
  coworkerChanged: done(t`Role and permissions saved.`),
  coworkerRemoved: done(t`Collaborator removed.`),
  invitationRevoked: done(t`Invitation revoked.`),
  flowChanged: done(t`Flow settings saved.`),
  flowRemoved: done(t`Flow removed.`),
  keyRequired: done(t`A key is now required. Webhooks without one get 401.`),
  keyNotRequired: done(t`No key is required. Anyone who knows the URL can start this flow.`),
  keyEnded: done(t`Key revoked.`),
  testSent: done(t`Test webhook accepted. This page shows its delivery live.`),
  runtimeRemoved: done(t`Runtime removed. Its keys no longer work.`),
  notice: done(t`Notice published on the status page.`),
  noticeCleared: done(t`Notice removed from the status page.`),
  replayed: done(t`Webhook replayed. This is the replay.`),
  discarded: done(t`Webhook discarded.`),
  triedNow: done(t`The webhook will go to the next free runtime.`),
  left: done(t`You left the bot.`),
}

type OfPages = 'bot-unknown' | 'not-allowed' | 'invitation-unknown' | 'works-already'
type OfOperator =
  | 'chat-platform-id-taken'
  | 'owner-unknown'
  | 'webhook-needs-event-flow'
  | 'avatar-malformed'
  | 'capability-malformed'

/** Refusals that a form can cause. */
type OfForms = Exclude<BotRefusalReason, OfPages | OfOperator | 'flows-managed-by-operator'>

export const botErrors = errorsBy<OfForms>(BotRefusal, {
  'user-unknown': ['who', t`This account no longer exists.`],
  'user-is-owner': ['who', t`You own this bot, so you already have full access. Enter another user.`],
  'collaborators-too-many': tooManyCollaborators,
  'invited-missing': ['label', t`Enter a name or an email address.`],
  'invited-too-long': ['label', t`Use at most ${limits.invitationLabelMaxCharacters} characters.`],
  'invitations-too-many': t`A bot can have at most ${limits.invitationsPerBot} open invitations. Revoke one first.`,
  'name-missing': ['name', t`Enter a name.`],
  'name-too-long': ['name', t`Use a name of at most 100 characters.`],
  'runtime-bot-unknown': t`This bot has a new owner. Open its page again.`,
  'runtime-needs-bot': t`You own no bot that a runtime could host.`,
  'flow-unknown': t`This flow no longer exists.`,
  'flows-too-many': t`A bot can have at most ${limits.flowsPerBot} flows. Remove one first.`,
  'webhook-path-malformed': ['path', t`Use 1 to 100 letters, digits and - _ . / ~.`],
  'webhook-path-has-dots': [
    'path',
    t`Remove the segments . and .., because HTTP clients change URLs that contain them.`,
  ],
  'webhook-path-taken': ['path', t`Another flow of this bot uses this path. Choose another one.`],
  'webhook-missing': t`This flow no longer accepts webhooks.`,
  'key-unknown': t`This key no longer works.`,
  'key-needed': t`This is the current key. You can revoke it only when you replace it.`,
  'runtime-unknown': t`This runtime no longer exists.`,
  'email-unconfirmed': confirmEmailFirst,
  'runtimes-too-many': t`You have the maximum number of runtimes. Remove one that you no longer use.`,
  'notice-too-long': ['notice', t`Use at most ${limits.statusNoticeMaxCharacters} characters.`],
  'signature-preset-unknown': ['preset', t`Choose a sender from the list.`],
  'signature-member-unwanted': ['preset', t`Fill in only the fields that this sender uses.`],
  'signature-secret-malformed': ['secret', t`Use 1 to 256 characters on one line.`],
  'signature-secret-not-standard': ['secret', t`Enter the whole secret, which begins with whsec_.`],
  'signature-secret-missing': ['secret', t`Enter the secret that the sender signs with.`],
  'signature-public-key-malformed': ['public_key', t`Enter the public key as 64 hexadecimal digits.`],
  'signature-public-key-invalid': [
    'public_key',
    t`No Ed25519 public key has these digits. Copy the key from Discord again.`,
  ],
  'signature-header-malformed': ['header', t`Enter the name of the header that carries the signature.`],
  'signature-hash-unknown': ['hash', t`Choose SHA-1, SHA-256 or SHA-512.`],
  'signature-encoding-unknown': ['encoding', t`Choose hexadecimal or Base64.`],
  'signature-prefix-malformed': ['prefix', t`Use at most 32 visible ASCII characters.`],
  'signature-signed-malformed': [
    'signed',
    t`Use at most ${limits.signedTextMaxCharacters} ASCII characters, with ${'{body}'} once, ${'{timestamp}'} at most once and without ${'{id}'}.`,
  ],
  'signature-timestamp-unclear': [
    'timestamp_header',
    t`If ${'{timestamp}'} is signed, enter either its header or its name in the list. Otherwise, leave both empty.`,
  ],
  'dedupe-needs-one-place': ['dedupe_by', t`Enter either a header or a JSON pointer.`],
  'dedupe-header-malformed': ['dedupe_header', t`Enter the name of a header.`],
  'dedupe-pointer-malformed': ['dedupe_pointer', t`Enter a JSON pointer, such as /id.`],
  'dedupe-window-malformed': ['dedupe_window', t`Enter a whole number of seconds from 1 to 86400.`],
})

/** Returns a key as a row of the table. `clearTextKey` is the key that this page shows in plaintext, if any. */
export function listedKey(key: OverlappingKey, clearTextKey: string | undefined): Omit<ListedSecret, 'revocation'> {
  return {
    ...key,
    label: key.endsAtMs === null ? t`Current key` : t`Previous key`,
    shownAbove: clearTextKey?.endsWith(key.lastFour) ?? false,
  }
}

export const keyEnding = (lastFour: string): Html => html`<code>••••${lastFour}</code>`

export function revokesPrevious({ lastFour }: OverlappingKey): Words {
  return t`The previous key ${keyEnding(lastFour)}, which was about to expire, is revoked now.`
}

/** The choices when a key is created: when the current key expires, and whether the first key is required at once. */
export const keyForm = form({
  keyBefore: oneOf({
    label: t.in('expiry')`Current key`,
    among: [
      {
        value: 'ends-in-24-hours',
        label: t`Keep it for 24 hours`,
        hint: t`Gives you time to deploy the new key everywhere.`,
      },
      { value: 'ends-now', label: t`Revoke it now`, hint: t`Choose this if the key has leaked.` },
    ],
    otherwise: 'ends-in-24-hours',
  }),
  requirement: oneOf({
    label: t`Webhooks without a key`,
    among: [
      { value: 'required', label: t`Reject them now`, hint: t`Senders get 401 until you enter the key there.` },
      {
        value: 'optional',
        label: t`Accept them for now`,
        hint: t`Gives you time to enter the key at every sender. Then require it on the flow’s page.`,
      },
    ],
    otherwise: 'required',
  }),
})

export const keyFields = keyForm.fields({ values: { keyBefore: 'ends-in-24-hours', requirement: 'required' } })
