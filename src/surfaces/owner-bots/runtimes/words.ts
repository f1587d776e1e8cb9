import { html, type Text, type Words, words } from '../../../pages/html.ts'

const code = (text: string) => html`<code>${text}</code>`

/** Text for the list of runtimes that are allowed to host a bot. */
export const runtimeWords = {
  title: words({ en: 'Runtimes', de: 'Runtimes' }),
  about: words({
    en: 'A runtime is a program that runs your bot and processes its webhooks. It connects with a runtime key.',
    de: 'Eine Runtime ist ein Programm, das Ihren Bot ausführt und Webhooks verarbeitet. Zum Verbinden braucht die Runtime einen Schlüssel.',
  }),
  none: words({
    en: 'None of your runtimes hosts this bot. The platform may still host it.',
    de: 'Keine Ihrer Runtimes darf diesen Bot ausführen. Möglicherweise läuft er auf der Plattform.',
  }),
  ofPlatform: words({ en: 'Runtime of the platform', de: 'Runtime der Plattform' }),
  lastHeartbeat: (when: Text): Words =>
    words({ en: html`Last heartbeat ${when}`, de: html`Letzter Heartbeat ${when}` }),
  address: words({ en: 'Runtime URL', de: 'Runtime-URL' }),
  once: {
    title: words({ en: 'Runtime key created', de: 'Runtime-Schlüssel erstellt' }),
    label: words({ en: 'Runtime key', de: 'Runtime-Schlüssel' }),
    explain: words({
      en: html`Copy the key to your runtime’s settings now: <strong>it is shown only once</strong>. If you lose it, replace it.`,
      de: html`Kopieren Sie den Schlüssel jetzt in die Einstellungen Ihrer Runtime: <strong>Er wird nur einmal angezeigt</strong>. Wenn Sie ihn verlieren, ersetzen Sie ihn.`,
    }),
  },
  start: {
    title: words({ en: 'Start the runtime', de: 'Runtime starten' }),
    about: words({
      en: 'Paste these commands into a shell, in an empty folder. They start a runtime that prints webhooks. It needs Node 20 or Python 3.9, or later.',
      de: 'Fügen Sie diese Befehle in einem leeren Ordner in eine Shell ein. Damit startet eine Runtime, die Webhooks ausgibt. Sie benötigt mindestens Node 20 oder Python 3.9.',
    }),
    listen: words({
      en: html`${code('gatehouse listen')} shows webhooks, but doesn’t take the bot online.`,
      de: html`${code('gatehouse listen')} zeigt Webhooks an, bringt den Bot aber nicht online.`,
    }),
    packages: (address: string): Words =>
      words({ en: html`<a href="${address}">All packages</a>`, de: html`<a href="${address}">Alle Pakete</a>` }),
  },
  connected: words({ en: 'Connected', de: 'Verbunden' }),
  offline: words({ en: 'Offline', de: 'Offline' }),
  neverConnected: words({ en: 'Never connected.', de: 'War noch nie verbunden.' }),
  connectionsOf: (runtime: string): Words =>
    words({ en: `Connections of ${runtime}`, de: `Verbindungen von ${runtime}` }),
  instance: words({ en: 'Instance', de: 'Instanz' }),
  agent: words({ en: 'Program', de: 'Programm' }),
  since: words({ en: 'Since', de: 'Seit' }),
  lastSeen: words({ en: 'Last seen', de: 'Zuletzt gesehen' }),
  now: words({ en: 'Now', de: 'Jetzt' }),
  /** @param bots the number of bots. `null` means all the owner's bots. */
  hostsBots: (bots: number | null): Words => {
    if (bots === null) return words({ en: 'Hosts all your bots', de: 'Für alle Ihre Bots' })
    return bots === 1
      ? words({ en: 'Hosts this bot', de: 'Für diesen Bot' })
      : words({ en: `Hosts ${bots} of your bots`, de: `Für ${bots} Ihrer Bots` })
  },
  created: (when: Text): Words => words({ en: html`Created ${when}`, de: html`Erstellt ${when}` }),
  keysOf: (runtime: string): Words =>
    words({
      en: `Valid keys of ${runtime}, current one first`,
      de: `Gültige Schlüssel von ${runtime}, der aktuelle zuerst`,
    }),
  replaceKey: (runtime: string): Words =>
    words({
      en: html`Replace key<span class="hidden-visually"> of ${runtime}</span>`,
      de: html`Schlüssel ersetzen<span class="hidden-visually"> von ${runtime}</span>`,
    }),
  remove: (runtime: string): Words =>
    words({
      en: html`Remove<span class="hidden-visually"> ${runtime}</span>`,
      de: html`Entfernen<span class="hidden-visually">: ${runtime}</span>`,
    }),
  add: {
    title: words({ en: 'Add a runtime', de: 'Runtime hinzufügen' }),
    about: words({
      en: 'Add one runtime for each machine that runs your program. The key is shown only once.',
      de: 'Fügen Sie für jeden Rechner, auf dem Ihr Programm läuft, eine Runtime hinzu. Der Schlüssel wird nur einmal angezeigt.',
    }),
    name: words({ en: 'Name', de: 'Name' }),
    nameHint: words({ en: 'For example, the machine it runs on.', de: 'Zum Beispiel der Name des Rechners.' }),
    mayHost: words({ en: 'Bots it can host', de: 'Zugelassene Bots' }),
    onlyThis: (bot: string): Words => words({ en: `Only ${bot}`, de: `Nur ${bot}` }),
    all: words({ en: 'All your bots, including future ones', de: 'Alle Ihre Bots, auch künftige' }),
    submit: words({ en: 'Add runtime', de: 'Runtime hinzufügen' }),
  },
  removal: {
    title: (runtime: string): Words => words({ en: `Remove ${runtime}?`, de: `${runtime} entfernen?` }),
    effectOne: words({
      en: 'Its keys stop working and it is disconnected. The bot goes offline unless another runtime hosts it. Webhooks in progress are delivered again.',
      de: 'Die Runtime wird getrennt und ihre Schlüssel werden ungültig. Der Bot geht offline, wenn ihn keine andere Runtime ausführt. Noch nicht fertig verarbeitete Webhooks werden erneut zugestellt.',
    }),
    effectAll: words({
      en: 'Its keys stop working and it is disconnected. Its bots go offline unless another runtime hosts them. Webhooks in progress are delivered again.',
      de: 'Die Runtime wird getrennt und ihre Schlüssel werden ungültig. Die Bots gehen offline, wenn keine andere Runtime sie ausführt. Noch nicht fertig verarbeitete Webhooks werden erneut zugestellt.',
    }),
    submit: words({ en: 'Remove runtime', de: 'Runtime entfernen' }),
    keep: words({ en: 'Keep runtime', de: 'Runtime behalten' }),
  },
}
