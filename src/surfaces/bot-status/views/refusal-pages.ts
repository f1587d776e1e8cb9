import { linkButton } from '../../../pages/components/button.ts'
import { errorPage } from '../../../pages/error-page.ts'
import type { Html } from '../../../pages/html.ts'
import { identityPlace } from '../../../pages/places.ts'
import { errorPageWords } from '../../../pages/words/error-page.ts'
import { waitWords } from '../../../pages/words/figures.ts'
import { botStatusWords } from '../words.ts'

const { tooMany, nothingToSee: nothing } = botStatusWords

export function tooManyRequests(retryAfterSec: number): Html {
  return errorPage(
    {
      ...tooMany,
      whatToDo: tooMany.whatToDo(waitWords(retryAfterSec * 1_000)),
      ways: [linkButton({ label: errorPageWords.openAgain, href: '', tone: 'plain' })],
    },
    { place: identityPlace },
  )
}

/** Renders the 404 page, which is the same for unknown bots, deleted bots and bots without public status. */
export function nothingToSee(): Html {
  return errorPage(
    {
      ...nothing,
      ways: [linkButton({ label: errorPageWords.goTo(identityPlace.name), href: identityPlace.href, tone: 'plain' })],
    },
    { place: identityPlace },
  )
}
