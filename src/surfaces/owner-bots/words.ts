import { html, type Text, type Words, words } from '../../pages/html.ts'

/** Text on every page about a bot. */
export const botFrameWords = {
  title: (part: Text, bot: string): Words => words({ en: html`${part}: ${bot}`, de: html`${part}: ${bot}` }),
  partsOfBot: words({ en: 'Sections of this bot', de: 'Bereiche dieses Bots' }),
  yourBots: words({ en: 'Your bots', de: 'Ihre Bots' }),
  youAre: (asWhat: Text): Words => words({ en: html`You are ${asWhat}`, de: html`Ihre Rolle: ${asWhat}` }),
  readsOnly: words({
    en: 'You can view everything here. The bot’s owner decides what you can change.',
    de: 'Sie können hier alles ansehen. Der Eigentümer des Bots legt fest, was Sie ändern dürfen.',
  }),
  cancel: words({ en: 'Cancel', de: 'Abbrechen' }),
  notKnown: words({ en: 'Unknown', de: 'Unbekannt' }),
  notSet: words({ en: 'Not set', de: 'Nicht festgelegt' }),
  never: words({ en: 'Never', de: 'Nie' }),
  cannotBeUndone: words({ en: 'This can’t be undone.', de: 'Das lässt sich nicht rückgängig machen.' }),
  nothingEarlier: words({ en: 'There are no earlier entries.', de: 'Es gibt keine älteren Einträge.' }),
  earlier: words({ en: 'Earlier', de: 'Ältere' }),
  newest: words({ en: 'Newest', de: 'Neueste' }),
  pageBefore: words({ en: 'Previous page', de: 'Vorherige Seite' }),
  nextPage: words({ en: 'Next page', de: 'Nächste Seite' }),
  pageOf: (page: number, pages: number): Words =>
    words({ en: `Page ${page} of ${pages}`, de: `Seite ${page} von ${pages}` }),
}

/** Messages that a page shows after a change, keyed by flash message. */
export const botDoneWords: Readonly<Record<string, Words>> = {
  'hosting-on': words({
    en: 'Hosting is on. The bot goes online once a runtime sends a heartbeat for it.',
    de: 'Hosting aktiviert. Der Bot geht online, sobald eine Runtime ihn ausführt.',
  }),
  'hosting-off': words({
    en: 'Hosting is off. New webhooks are kept for 24 hours.',
    de: 'Hosting deaktiviert. Neue Webhooks werden 24 Stunden aufbewahrt.',
  }),
  location: words({ en: 'Hosting location saved.', de: 'Hosting-Standort gespeichert.' }),
  'status-public': words({ en: 'The bot’s status is public.', de: 'Der Status des Bots ist jetzt öffentlich.' }),
  'status-closed': words({
    en: 'The bot’s status is no longer public.',
    de: 'Der Status des Bots ist nicht mehr öffentlich.',
  }),
  'coworker-added': words({ en: 'Collaborator added.', de: 'Bearbeiter hinzugefügt.' }),
  'coworker-changed': words({ en: 'Role and permissions saved.', de: 'Rolle und Rechte gespeichert.' }),
  'coworker-removed': words({ en: 'Collaborator removed.', de: 'Bearbeiter entfernt.' }),
  'invitation-revoked': words({ en: 'Invitation revoked.', de: 'Einladung widerrufen.' }),
  'flow-changed': words({ en: 'Flow settings saved.', de: 'Flow-Einstellungen gespeichert.' }),
  'flow-removed': words({ en: 'Flow removed.', de: 'Flow entfernt.' }),
  'key-required': words({
    en: 'A key is now required. Webhooks without one get 401.',
    de: 'Ab jetzt ist ein Schlüssel erforderlich. Webhooks ohne Schlüssel werden mit 401 abgewiesen.',
  }),
  'key-not-required': words({
    en: 'No key is required. Anyone who knows the URL can start this flow.',
    de: 'Es ist kein Schlüssel mehr erforderlich. Wer die URL kennt, kann diesen Flow starten.',
  }),
  'key-ended': words({ en: 'Key revoked.', de: 'Schlüssel widerrufen.' }),
  'test-sent': words({
    en: 'Test webhook accepted. This page shows its delivery live.',
    de: 'Test-Webhook angenommen. Auf dieser Seite verfolgen Sie die Zustellung.',
  }),
  'runtime-removed': words({
    en: 'Runtime removed. Its keys no longer work.',
    de: 'Runtime entfernt. Ihre Schlüssel sind ungültig.',
  }),
  notice: words({ en: 'Notice published on the status page.', de: 'Mitteilung auf der Statusseite veröffentlicht.' }),
  'notice-cleared': words({
    en: 'Notice removed from the status page.',
    de: 'Mitteilung von der Statusseite entfernt.',
  }),
  replayed: words({
    en: 'Webhook replayed. This is the replay.',
    de: 'Webhook erneut eingereiht. Hier sehen Sie den neuen Webhook.',
  }),
  discarded: words({ en: 'Webhook discarded.', de: 'Webhook verworfen.' }),
  'tried-now': words({
    en: 'The webhook will go to the next free runtime.',
    de: 'Der Webhook wird jetzt der nächsten freien Runtime zugestellt.',
  }),
  left: words({ en: 'You left the bot.', de: 'Sie haben den Bot verlassen.' }),
}

/** Text for 403 and 404 pages. */
export const botRefusalWords = {
  toBots: words({ en: 'Go to your bots', de: 'Zu Ihren Bots' }),
  toBot: words({ en: 'Go to the bot', de: 'Zum Bot' }),
  unknown: {
    what: words({ en: 'Bot not found', de: 'Bot nicht gefunden' }),
    why: words({
      en: 'The URL may be mistyped, the bot may have been deleted, or your access may have been removed.',
      de: 'Möglicherweise ist die URL falsch, der Bot wurde gelöscht oder Sie haben keinen Zugriff mehr.',
    }),
    whatToDo: words({
      en: 'Look for the bot in your list of bots. If it isn’t yours, ask its owner to add you as a collaborator.',
      de: 'Suchen Sie den Bot in der Liste Ihrer Bots. Gehört der Bot jemand anderem, bitten Sie den Eigentümer, Sie als Bearbeiter hinzuzufügen.',
    }),
  },
  notAllowed: {
    what: words({ en: 'You don’t have permission for this', de: 'Dafür fehlt Ihnen die Berechtigung' }),
    why: words({
      en: 'You are a collaborator on this bot, but your role doesn’t allow this. Nothing was changed.',
      de: 'Sie sind Bearbeiter dieses Bots, aber Ihre Rolle erlaubt das nicht. Es wurde nichts geändert.',
    }),
    whatToDo: words({
      en: 'Ask the owner to do it, or to change your permissions under Collaborators.',
      de: 'Bitten Sie den Eigentümer, das zu übernehmen oder Ihre Rechte unter „Bearbeiter“ zu ändern.',
    }),
  },
  nothing: {
    what: (bot: string): Words =>
      words({ en: `${bot} has no page at this URL`, de: `Seite von ${bot} nicht gefunden` }),
    why: words({
      en: 'It was removed or is no longer kept, or the URL is mistyped. Nothing was changed.',
      de: 'Der Eintrag wurde gelöscht oder die URL ist falsch. Es wurde nichts geändert.',
    }),
    whatToDo: words({ en: 'Look for it on the bot’s pages.', de: 'Suchen Sie den Eintrag auf den Seiten des Bots.' }),
  },
}
