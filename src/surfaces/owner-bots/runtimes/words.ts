import { html, type Text, type Words, words } from '../../../pages/html.ts'

/** Texts of the runtimes that may host a bot. */
export const runtimeWords = {
  title: words({ en: 'Runtimes', de: 'Runtimes' }),
  about: words({
    en: 'A runtime is a program that runs your bot and does its webhooks. It connects with its key.',
    de: 'Eine Runtime ist ein Programm, das Ihren Bot betreibt und seine Webhooks erledigt. Sie verbindet sich mit ihrem Schlüssel.',
  }),
  none: words({
    en: 'No runtime of yours may host this bot yet. The platform may host it with its own.',
    de: 'Noch darf keine Runtime von Ihnen diesen Bot betreiben. Die Plattform kann ihn mit ihren eigenen betreiben.',
  }),
  address: words({ en: 'Address for runtimes', de: 'Adresse für Runtimes' }),
  ofBot: (bot: string): Words => words({ en: `Runtimes of ${bot}`, de: `Runtimes von ${bot}` }),
  once: {
    title: words({ en: 'The runtime has a new key', de: 'Die Runtime hat einen neuen Schlüssel' }),
    label: words({ en: 'Runtime key', de: 'Runtime-Schlüssel' }),
    explain: words({
      en: html`Copy it to the settings of your program now: <strong>it is shown this once</strong>, and nobody can show it again. If it is lost, replace it.`,
      de: html`Übernehmen Sie ihn jetzt in die Einstellungen Ihres Programms: <strong>Er wird nur dieses eine Mal gezeigt</strong>, und niemand kann ihn noch einmal zeigen. Ist er verloren, ersetzen Sie ihn.`,
    }),
  },
  hosts: words({ en: 'Hosts', de: 'Betreibt' }),
  /** @param bots `null` means every bot of the owner. */
  hostsBots: (bots: number | null): Words => {
    if (bots === null) return words({ en: 'All your bots', de: 'Alle Ihre Bots' })
    return bots === 1
      ? words({ en: 'This bot', de: 'Diesen Bot' })
      : words({ en: `${bots} of your bots`, de: `${bots} Ihrer Bots` })
  },
  made: words({ en: 'Created', de: 'Erstellt' }),
  key: (lastFour: string): Words =>
    words({ en: html`Key <code>••••${lastFour}</code>`, de: html`Schlüssel <code>••••${lastFour}</code>` }),
  neverUsed: words({ en: 'Never used', de: 'Nie benutzt' }),
  lastUsed: (when: Text): Words => words({ en: html`Last used ${when}`, de: html`Zuletzt benutzt ${when}` }),
  ends: (when: Text): Words => words({ en: html`, ends ${when}.`, de: html`, endet ${when}.` }),
  endNow: (lastFour: string): Words =>
    words({
      en: html`End it now<span class="hidden-visually"> the key ${lastFour}</span>`,
      de: html`Jetzt beenden<span class="hidden-visually">: Schlüssel ${lastFour}</span>`,
    }),
  /** The hidden part names the item for screen readers. */
  replaceKey: (runtime: string): Words =>
    words({
      en: html`Replace the key<span class="hidden-visually"> of ${runtime}</span>`,
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
      en: 'One for each place where your program runs. You get its key, once.',
      de: 'Eine für jeden Ort, an dem Ihr Programm läuft. Sie bekommen ihren Schlüssel, ein einziges Mal.',
    }),
    name: words({ en: 'Name', de: 'Name' }),
    nameHint: words({
      en: 'By which you tell it from others, such as the machine it runs on.',
      de: 'An dem Sie sie erkennen, etwa der Rechner, auf dem sie läuft.',
    }),
    mayHost: words({ en: 'May host', de: 'Darf betreiben' }),
    onlyThis: (bot: string): Words => words({ en: `Only ${bot}`, de: `Nur ${bot}` }),
    all: words({
      en: 'All bots that you own, also those of later',
      de: 'Alle Bots, die Ihnen gehören, auch spätere',
    }),
    submit: words({ en: 'Add runtime', de: 'Runtime hinzufügen' }),
  },
  removal: {
    title: (runtime: string): Words => words({ en: `Remove ${runtime}?`, de: `${runtime} entfernen?` }),
    effectOne: words({
      en: 'Its keys stop working now, and it is cut off. The bot goes offline unless another runtime hosts it. What it was working on is handed out again.',
      de: 'Ihre Schlüssel gelten ab jetzt nicht mehr, und sie wird getrennt. Der Bot geht offline, wenn keine andere Runtime ihn betreibt. Woran sie gerade arbeitet, wird neu vergeben.',
    }),
    effectAll: words({
      en: 'Its keys stop working now, and it is cut off. Every bot that it hosts goes offline unless another runtime hosts it. What it was working on is handed out again.',
      de: 'Ihre Schlüssel gelten ab jetzt nicht mehr, und sie wird getrennt. Jeder Bot, den sie betreibt, geht offline, wenn keine andere Runtime ihn betreibt. Woran sie gerade arbeitet, wird neu vergeben.',
    }),
    submit: words({ en: 'Remove the runtime', de: 'Runtime entfernen' }),
    keep: words({ en: 'Keep it', de: 'Behalten' }),
  },
}
