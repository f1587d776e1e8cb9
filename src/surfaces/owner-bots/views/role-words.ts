import type { Role } from '../../../domain/bots/bot.ts'
import type { capabilityMay } from '../../../domain/bots/bot-rights.ts'

/** The roles as people call them. */
export const roleWords: Record<Role, { name: string; asWhat: string; may: string }> = {
  owner: { name: 'Owner', asWhat: 'its owner', may: 'May do everything.' },
  editor: {
    name: 'Editor',
    asWhat: 'an editor',
    may: 'Sees everything, switches hosting and public status, changes how flows take webhooks, replays events.',
  },
  viewer: {
    name: 'Viewer',
    asWhat: 'a viewer',
    may: 'Sees the bot, its logs and when webhooks came. Sees nothing of what was in them, and changes nothing.',
  },
}

/** What each capability adds to a role. */
export const capabilityWords: Record<keyof typeof capabilityMay, string> = {
  deliveries: 'Read what is in webhooks, and replay or discard them',
  hosting: 'Switch hosting on and off',
  status: 'Open or close the public status, and set its notice',
  flows: 'Change how flows take webhooks, and send tests',
  keys: 'Make and end keys of flows',
}
