import { linkButton } from '../../../http/components/button.ts'
import { errorPage } from '../../../http/error-page.ts'
import type { Html } from '../../../http/html.ts'
import type { PageFrame } from '../../../http/page.ts'
import { botsFrame } from './bot-frame.ts'

const toBots = linkButton({ label: 'Go to your bots', href: '/bots', tone: 'plain' })

/** Also for a bot of somebody else: that it exists is none of a stranger's business. */
export function unknownBotPage(person: PageFrame['person']): Html {
  return errorPage(
    {
      what: 'There is no such bot',
      why: 'No bot of yours is at this address. It may be mistyped, the bot may be deleted, or you do not work on it any more.',
      whatToDo: 'Look for it among your bots. If it is somebody else’s, ask them to add you as a coworker.',
      ways: [toBots],
    },
    botsFrame(person),
  )
}

export function notAllowedPage(person: PageFrame['person'], botId: string): Html {
  return errorPage(
    {
      what: 'You may not do this with the bot',
      why: 'You work on this bot, but this is beyond what its owner lets you do. Nothing was changed.',
      whatToDo: 'Ask the owner to do it, or to let you: they can change what you may do under Coworkers.',
      ways: [linkButton({ label: 'Go to the bot', href: `/bots/${botId}`, tone: 'plain' }), toBots],
    },
    botsFrame(person),
  )
}

/** The bot is there; what the address names of it is not. */
export function nothingOfBotPage(person: PageFrame['person'], bot: { id: string; name: string }): Html {
  return errorPage(
    {
      what: `${bot.name} has nothing at this address`,
      why: 'What stood here was removed meanwhile or is kept no longer, or the address is mistyped. Nothing was changed.',
      whatToDo: 'Look for it on the pages of the bot.',
      ways: [linkButton({ label: 'Go to the bot', href: `/bots/${bot.id}`, tone: 'plain' }), toBots],
    },
    botsFrame(person),
  )
}
