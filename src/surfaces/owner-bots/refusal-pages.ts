import { linkButton } from '../../pages/components/button.ts'
import { errorPage } from '../../pages/error-page.ts'
import { type Html, t, type Words } from '../../pages/html.ts'
import type { Person } from '../../pages/page.ts'
import { botsFrame, botTrail } from './bot-frame.ts'

const toBots = linkButton({ label: t`Go to your bots`, href: '/bots', tone: 'plain' })

/** Text for 403 and 404 pages. */
const words = {
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
