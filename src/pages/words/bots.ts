import type { HostingLocation, Role } from '../../domain/bots/bot.ts'
import type { capabilityMay } from '../../domain/bots/bot-access.ts'
import { html, type Text, t, type Words } from '../html.ts'

/** Text for the roles. `asWhat` completes “You are …”. */
export const roleWords: Readonly<Record<Role, { name: Words; asWhat: Words; may: Words }>> = {
  owner: { name: t`Owner`, asWhat: t`the owner`, may: t`Can do everything.` },
  editor: {
    name: t`Editor`,
    asWhat: t`an editor`,
    may: t`Can view everything, change hosting, status page and flow settings, and replay webhooks.`,
  },
  viewer: {
    name: t`Viewer`,
    asWhat: t`a viewer`,
    may: t`Can view the bot, its logs and its deliveries, but not the contents of webhooks. Can’t change anything.`,
  },
}

export const locationWords: Readonly<Record<HostingLocation, Words>> = { local: t`Local`, cloud: t`Cloud` }

export const capabilityWords: Readonly<Record<keyof typeof capabilityMay, Words>> = {
  deliveries: t`View the contents of webhooks, and replay or discard them`,
  hosting: t`Turn hosting on and off`,
  status: t`Make the status public or private, and edit its notice`,
  flows: t`Change flow settings, and send tests`,
  keys: t`Manage flow keys and signatures`,
}

/** Returns a capability's label, or its name if it belongs to the platform and has no label here. */
export function capabilityInWords(capability: string): Text {
  if (!Object.hasOwn(capabilityWords, capability)) return html`<code>${capability}</code>`
  return capabilityWords[capability as keyof typeof capabilityWords]
}
