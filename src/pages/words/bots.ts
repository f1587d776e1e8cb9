import type { HostingLocation, Role } from '../../domain/bots/bot.ts'
import type { capabilityMay } from '../../domain/bots/bot-access.ts'
import { html, type Text, type Words, words } from '../html.ts'

/** Text for the roles. `asWhat` completes “You are …”. */
export const roleWords: Readonly<Record<Role, { name: Words; asWhat: Words; may: Words }>> = {
  owner: {
    name: words({ en: 'Owner', de: 'Eigentümer' }),
    asWhat: words({ en: 'the owner', de: 'Eigentümer' }),
    may: words({ en: 'Can do everything.', de: 'Darf alles.' }),
  },
  editor: {
    name: words({ en: 'Editor', de: 'Bearbeiten' }),
    asWhat: words({ en: 'an editor', de: 'Bearbeiten' }),
    may: words({
      en: 'Can view everything, change hosting, status page and flow settings, and replay webhooks.',
      de: 'Darf alles ansehen, Webhooks erneut einreihen sowie Hosting, Statusseite und Flow-Einstellungen ändern.',
    }),
  },
  viewer: {
    name: words({ en: 'Viewer', de: 'Ansehen' }),
    asWhat: words({ en: 'a viewer', de: 'Ansehen' }),
    may: words({
      en: 'Can view the bot, its logs and its deliveries, but not the contents of webhooks. Can’t change anything.',
      de: 'Darf den Bot mit Protokoll und Zustellungen ansehen, aber nicht den Inhalt der Webhooks. Darf nichts ändern.',
    }),
  },
}

export const locationWords: Readonly<Record<HostingLocation, Words>> = {
  local: words({ en: 'Local', de: 'Lokal' }),
  cloud: words({ en: 'Cloud', de: 'Cloud' }),
}

/** The permissions that each capability adds to a role. */
export const capabilityWords: Readonly<Record<keyof typeof capabilityMay, Words>> = {
  deliveries: words({
    en: 'View the contents of webhooks, and replay or discard them',
    de: 'Inhalt von Webhooks ansehen und Webhooks erneut einreihen oder verwerfen',
  }),
  hosting: words({ en: 'Turn hosting on and off', de: 'Hosting aktivieren und deaktivieren' }),
  status: words({
    en: 'Make the status public or private, and edit its notice',
    de: 'Status veröffentlichen oder verbergen und die Mitteilung bearbeiten',
  }),
  flows: words({ en: 'Change flow settings, and send tests', de: 'Flow-Einstellungen ändern und Tests senden' }),
  keys: words({ en: 'Manage flow keys and signatures', de: 'Flow-Schlüssel und Signaturen verwalten' }),
}

/** Returns a capability's label, or its name if it belongs to the platform and has no label here. */
export function capabilityInWords(capability: string): Text {
  if (!Object.hasOwn(capabilityWords, capability)) return html`<code>${capability}</code>`
  return capabilityWords[capability as keyof typeof capabilityWords]
}
