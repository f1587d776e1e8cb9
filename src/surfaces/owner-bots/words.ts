import type { Role } from '../../domain/bots/bot.ts'
import { html, type Text, type Words, words } from '../../pages/html.ts'

/** Texts on every page of a bot. */
export const botFrameWords = {
  title: (part: Text, bot: string): Words => words({ en: html`${part}: ${bot}`, de: html`${part}: ${bot}` }),
  parts: {
    bot: words({ en: 'Overview', de: 'Übersicht' }),
    flows: words({ en: 'Flows', de: 'Flows' }),
    deliveries: words({ en: 'Deliveries', de: 'Zustellungen' }),
    logs: words({ en: 'Logs', de: 'Protokoll' }),
    runtimes: words({ en: 'Runtimes', de: 'Runtimes' }),
    coworkers: words({ en: 'Coworkers', de: 'Mitwirkende' }),
  },
  partsOfBot: words({ en: 'Parts of this bot', de: 'Bereiche dieses Bots' }),
  yourBots: words({ en: 'Your bots', de: 'Ihre Bots' }),
  youAre: (asWhat: Text): Words => words({ en: html`You are ${asWhat}`, de: html`Ihre Rolle: ${asWhat}` }),
  readsOnly: words({
    en: 'You may look at everything here. What you may change, the bot’s owner decides.',
    de: 'Sie dürfen hier alles ansehen. Was Sie ändern dürfen, entscheidet, wem der Bot gehört.',
  }),
  keepAsItIs: words({ en: 'Change nothing', de: 'Nichts ändern' }),
  notKnown: words({ en: 'Not known', de: 'Nicht bekannt' }),
  never: words({ en: 'Never', de: 'Nie' }),
  cannotBeUndone: words({ en: 'This can not be undone.', de: 'Das lässt sich nicht rückgängig machen.' }),
  nothingEarlier: words({ en: 'There is nothing earlier.', de: 'Älteres gibt es nicht.' }),
  earlier: words({ en: 'Earlier', de: 'Ältere' }),
  newest: words({ en: 'Newest', de: 'Neueste' }),
  pageBefore: words({ en: 'Page before', de: 'Vorige Seite' }),
  nextPage: words({ en: 'Next page', de: 'Nächste Seite' }),
  pageOf: (page: number, pages: number): Words =>
    words({ en: `Page ${page} of ${pages}`, de: `Seite ${page} von ${pages}` }),
}

/** Names of roles; `asWhat` follows “You are”. */
export const roleWords: Readonly<Record<Role, { name: Words; asWhat: Words; may: Words }>> = {
  owner: {
    name: words({ en: 'Owner', de: 'Eigentümer' }),
    asWhat: words({ en: 'its owner', de: 'Eigentümer' }),
    may: words({ en: 'May do everything.', de: 'Darf alles.' }),
  },
  editor: {
    name: words({ en: 'Editor', de: 'Bearbeiten' }),
    asWhat: words({ en: 'an editor', de: 'Bearbeiten' }),
    may: words({
      en: 'Sees everything, switches hosting and public status, changes how flows take webhooks, replays events.',
      de: 'Sieht alles, schaltet Hosting und öffentlichen Status, ändert, wie Flows Webhooks annehmen, reicht Ereignisse erneut ein.',
    }),
  },
  viewer: {
    name: words({ en: 'Viewer', de: 'Ansehen' }),
    asWhat: words({ en: 'a viewer', de: 'Ansehen' }),
    may: words({
      en: 'Sees the bot, its logs and when webhooks came. Sees nothing of what was in them, and changes nothing.',
      de: 'Sieht den Bot, sein Protokoll und wann Webhooks kamen. Sieht nichts von ihrem Inhalt und ändert nichts.',
    }),
  },
}

/** Messages that a page shows after a change, by their flash message. */
export const botDoneWords: Readonly<Record<string, Words>> = {
  'hosting-on': words({
    en: 'Hosting is on. The bot is online as soon as a runtime reports it.',
    de: 'Das Hosting ist an. Der Bot ist online, sobald eine Runtime ihn meldet.',
  }),
  'hosting-off': words({
    en: 'Hosting is off. Webhooks that come meanwhile are kept for 24 hours.',
    de: 'Das Hosting ist aus. Webhooks, die inzwischen kommen, werden 24 Stunden aufbewahrt.',
  }),
  'status-public': words({
    en: 'Everybody can see the bot’s status now.',
    de: 'Den Status des Bots können jetzt alle sehen.',
  }),
  'status-closed': words({
    en: 'The bot’s status is closed to the public.',
    de: 'Der Status des Bots ist nicht mehr öffentlich.',
  }),
  'coworker-added': words({
    en: 'The person can work on the bot from now on.',
    de: 'Die Person kann ab jetzt am Bot mitwirken.',
  }),
  'coworker-changed': words({ en: 'What the person may do is changed.', de: 'Was die Person darf, ist geändert.' }),
  'coworker-removed': words({
    en: 'The person has no access to the bot any more.',
    de: 'Die Person hat keinen Zugang mehr zum Bot.',
  }),
  'invitation-revoked': words({ en: 'Invitation revoked.', de: 'Einladung widerrufen.' }),
  'flow-changed': words({
    en: 'The flow takes webhooks this way from now on.',
    de: 'Der Flow nimmt Webhooks ab jetzt so an.',
  }),
  'key-required': words({
    en: 'A key is now required. Webhooks without one get 401.',
    de: 'Ein Schlüssel ist jetzt nötig. Webhooks ohne Schlüssel werden mit 401 abgewiesen.',
  }),
  'key-not-required': words({
    en: 'No key is required. Anyone who knows the URL can start this flow.',
    de: 'Kein Schlüssel ist nötig. Wer die URL kennt, kann diesen Flow starten.',
  }),
  'key-ended': words({ en: 'The key has stopped working.', de: 'Der Schlüssel gilt nicht mehr.' }),
  'test-sent': words({
    en: 'The test is accepted. What becomes of it stands under Deliveries.',
    de: 'Der Test ist angenommen. Was aus ihm wird, steht unter Zustellungen.',
  }),
  'runtime-removed': words({
    en: 'The runtime is removed, and its keys have stopped working.',
    de: 'Die Runtime ist entfernt, und ihre Schlüssel gelten nicht mehr.',
  }),
  notice: words({ en: 'The notice stands on the status page.', de: 'Die Mitteilung steht auf der Statusseite.' }),
  'notice-cleared': words({
    en: 'There is no notice on the status page any more.',
    de: 'Auf der Statusseite steht keine Mitteilung mehr.',
  }),
  replayed: words({
    en: 'The event was accepted anew. This is the new one.',
    de: 'Das Ereignis wurde erneut angenommen. Dies ist das neue.',
  }),
  discarded: words({ en: 'Webhook discarded.', de: 'Webhook verworfen.' }),
  'tried-now': words({
    en: 'The webhook is due now and goes to the next free runtime.',
    de: 'Der Webhook ist jetzt fällig und geht an die nächste freie Runtime.',
  }),
  left: words({ en: 'You do not work on that bot any more.', de: 'Sie wirken an diesem Bot nicht mehr mit.' }),
}

/** Where the address leads to no bot, or to nothing of it, or the reader may not do that. */
export const botRefusalWords = {
  toBots: words({ en: 'Go to your bots', de: 'Zu Ihren Bots' }),
  toBot: words({ en: 'Go to the bot', de: 'Zum Bot' }),
  unknown: {
    what: words({ en: 'There is no such bot', de: 'Diesen Bot gibt es nicht' }),
    why: words({
      en: 'No bot of yours is at this address. It may be mistyped, the bot may be deleted, or you do not work on it any more.',
      de: 'Unter dieser Adresse ist kein Bot von Ihnen. Vielleicht ist sie vertippt, der Bot gelöscht, oder Sie wirken nicht mehr an ihm mit.',
    }),
    whatToDo: words({
      en: 'Look for it among your bots. If it is somebody else’s, ask them to add you as a coworker.',
      de: 'Suchen Sie ihn unter Ihren Bots. Gehört er jemand anderem, bitten Sie darum, als mitwirkend aufgenommen zu werden.',
    }),
  },
  notAllowed: {
    what: words({ en: 'You may not do this with the bot', de: 'Das dürfen Sie mit dem Bot nicht' }),
    why: words({
      en: 'You work on this bot, but this is beyond what its owner lets you do. Nothing was changed.',
      de: 'Sie wirken an diesem Bot mit, aber das hier ist Ihnen nicht erlaubt. Nichts wurde geändert.',
    }),
    whatToDo: words({
      en: 'Ask the owner to do it, or to let you: they can change what you may do under Coworkers.',
      de: 'Wem der Bot gehört, kann es selbst tun oder es Ihnen erlauben: Was Sie dürfen, lässt sich unter Mitwirkende ändern.',
    }),
  },
  nothing: {
    what: (bot: string): Words =>
      words({ en: `${bot} has nothing at this address`, de: `${bot} hat nichts unter dieser Adresse` }),
    why: words({
      en: 'What stood here was removed meanwhile or is kept no longer, or the address is mistyped. Nothing was changed.',
      de: 'Was hier stand, wurde inzwischen entfernt oder wird nicht mehr aufbewahrt, oder die Adresse ist vertippt. Nichts wurde geändert.',
    }),
    whatToDo: words({
      en: 'Look for it on the pages of the bot.',
      de: 'Suchen Sie es auf den Seiten des Bots.',
    }),
  },
}
