import { linkButton } from '../../../http/components/button.ts'
import { errorPage } from '../../../http/error-page.ts'
import type { Html } from '../../../http/html.ts'
import { identityPlace } from '../../../http/places.ts'
import { waitWords } from '../../../http/words/durations.ts'

export function tooManyRequests(retryAfterSec: number): Html {
  return errorPage(
    {
      what: 'Too many requests',
      why: 'Your network asked for more than 60 status pages within a minute, or more people look right now than can be served.',
      whatToDo: `Try again in ${waitWords(retryAfterSec * 1_000).en}.`,
      ways: [linkButton({ label: 'Open the page again', href: '', tone: 'plain' })],
    },
    { place: identityPlace },
  )
}

/** The same for a bot that is unknown, deleted, or whose status is not public. */
export function nothingToSee(): Html {
  return errorPage(
    {
      what: 'There is no status to see here',
      why: 'No bot has this id, or its owner has not opened its status to the public.',
      whatToDo: 'Check the address. If the bot is yours, switch its public status on.',
      ways: [linkButton({ label: `Go to ${identityPlace.name}`, href: identityPlace.href, tone: 'plain' })],
    },
    { place: identityPlace },
  )
}
