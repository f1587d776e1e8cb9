import * as limits from '../../domain/limits/limits.ts'
import { done } from '../../pages/flash.ts'
import { t } from '../../pages/html.ts'

/** Text on every page about a bot. */
export const botFrameWords = {
  cannotBeUndone: t`This can’t be undone.`,
}

export const tooManyCollaborators = t`A bot can have at most ${limits.collaboratorsPerBot} collaborators. Remove one first.`

/** Notices that the next page shows after a change. */
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
