import { type Text, t, type Words } from '../../pages/html.ts'

/** Text on every page about a bot. */
export const botFrameWords = {
  title: (part: Text, bot: string): Words => t`${part}: ${bot}`,
  partsOfBot: t`Sections of this bot`,
  yourBots: t`Your bots`,
  youAre: (asWhat: Text): Words => t`You are ${asWhat}`,
  readsOnly: t`You can view everything here. The bot’s owner decides what you can change.`,
  cancel: t`Cancel`,
  notKnown: t`Unknown`,
  notSet: t`Not set`,
  never: t`Never`,
  cannotBeUndone: t`This can’t be undone.`,
  nothingEarlier: t`There are no earlier entries.`,
  earlier: t`Earlier`,
  newest: t`Newest`,
  pageBefore: t`Previous page`,
  nextPage: t`Next page`,
  pageOf: (page: number, pages: number): Words => t`Page ${page} of ${pages}`,
}

/** Messages that a page shows after a change, keyed by flash message. */
export const botDoneWords: Readonly<Record<string, Words>> = {
  'hosting-on': t`Hosting is on. The bot goes online once a runtime sends a heartbeat for it.`,
  'hosting-off': t`Hosting is off. New webhooks are kept for 24 hours.`,
  location: t`Hosting location saved.`,
  'status-public': t`The bot’s status is public.`,
  'status-closed': t`The bot’s status is no longer public.`,
  'coworker-added': t`Collaborator added.`,
  'coworker-changed': t`Role and permissions saved.`,
  'coworker-removed': t`Collaborator removed.`,
  'invitation-revoked': t`Invitation revoked.`,
  'flow-changed': t`Flow settings saved.`,
  'flow-removed': t`Flow removed.`,
  'key-required': t`A key is now required. Webhooks without one get 401.`,
  'key-not-required': t`No key is required. Anyone who knows the URL can start this flow.`,
  'key-ended': t`Key revoked.`,
  'test-sent': t`Test webhook accepted. This page shows its delivery live.`,
  'runtime-removed': t`Runtime removed. Its keys no longer work.`,
  notice: t`Notice published on the status page.`,
  'notice-cleared': t`Notice removed from the status page.`,
  replayed: t`Webhook replayed. This is the replay.`,
  discarded: t`Webhook discarded.`,
  'tried-now': t`The webhook will go to the next free runtime.`,
  left: t`You left the bot.`,
}

/** Text for 403 and 404 pages. */
export const botRefusalWords = {
  toBots: t`Go to your bots`,
  toBot: t`Go to the bot`,
  unknown: {
    what: t`Bot not found`,
    why: t`The URL may be mistyped, the bot may have been deleted, or your access may have been removed.`,
    whatToDo: t`Look for the bot in your list of bots. If it isn’t yours, ask its owner to add you as a collaborator.`,
  },
  notAllowed: {
    what: t`You don’t have permission for this`,
    why: t`You are a collaborator on this bot, but your role doesn’t allow this. Nothing was changed.`,
    whatToDo: t`Ask the owner to do it, or to change your permissions under Collaborators.`,
  },
  nothing: {
    what: (bot: string): Words => t`${bot} has no page at this URL`,
    why: t`It was removed or is no longer kept, or the URL is mistyped. Nothing was changed.`,
    whatToDo: t`Look for it on the bot’s pages.`,
  },
}
