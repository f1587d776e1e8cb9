import { linkButton } from '../../pages/components/button.ts'
import { errorPage } from '../../pages/error-page.ts'
import { type Html, t } from '../../pages/html.ts'
import type { Person } from '../../pages/page.ts'
import { botsFrame, botTrail } from './bot-frame.ts'
import { botRefusalWords as words } from './words.ts'

const toBots = linkButton({ label: t`Go to your bots`, href: '/bots', tone: 'plain' })

/**
 * Renders a bot's 404 page. The page is the same for a bot that doesn't exist and for one that the user isn't allowed
 * to see.
 */
export function unknownBotPage(person: Person | undefined): Html {
  return errorPage({ ...words.unknown, ways: [toBots] }, { ...botsFrame(person), trail: [] })
}

export function notAllowedPage(person: Person | undefined, botId: string): Html {
  return errorPage(
    {
      ...words.notAllowed,
      ways: [linkButton({ label: t`Go to the bot`, href: `/bots/${botId}`, tone: 'plain' }), toBots],
    },
    { ...botsFrame(person), trail: [] },
  )
}

/** Renders the 404 page for a part of a bot that doesn't exist. */
export function missingPartPage(person: Person | undefined, bot: { id: string; name: string }): Html {
  return errorPage(
    {
      ...words.nothing,
      what: words.nothing.what(bot.name),
      ways: [linkButton({ label: t`Go to the bot`, href: `/bots/${bot.id}`, tone: 'plain' }), toBots],
    },
    { ...botsFrame(person), trail: botTrail(bot, 'bot') },
  )
}
