import { plural, t } from '../html.ts'

/** Text for the error pages of all surfaces. */
export const errorPageWords = {
  nothingHere: {
    what: t`Page not found`,
    why: t`The URL may be mistyped, or the page was removed.`,
    whatToDo: t`Check the URL.`,
  },
  formRefused: {
    what: t`This form is out of date`,
    why: t`The form was opened in another browser, or its cookie was deleted. Nothing was changed.`,
    whatToDo: t`Open the page again and submit the form there. If this keeps happening, allow cookies for this site.`,
  },
  formFromElsewhere: {
    what: t`Another site sent this form`,
    why: t`Only forms of this service’s own pages are accepted. Nothing was changed.`,
    whatToDo: t`Open the page again and submit the form there.`,
  },
  otherAddress: ({ received, expected, setting }: { received: string; expected: string; setting: string }) => ({
    what: t`This service expects another address`,
    why: t.html`The form came from <code>${received}</code>, but the service is set up for <code>${expected}</code>. Nothing was changed.`,
    whatToDo: t.html`Open <a href="${expected}">${expected}</a> instead. If that doesn’t work, tell the operator that <code>${setting}</code> must be the address that users open.`,
  }),
  tooManyActs: (seconds: number) => ({
    what: t`Too many changes`,
    why: t`You have made too many changes in a short time. Nothing was changed.`,
    whatToDo: plural(seconds, t`Try again in ${seconds} second.`, t`Try again in ${seconds} seconds.`),
  }),
  dataAway: {
    what: t`The service is temporarily unavailable`,
    why: t`The database isn’t responding. Nothing was changed.`,
    whatToDo: t`Wait a moment, then try again.`,
  },
  overloaded: t`Too much data is arriving at once. Nothing was changed.`,
  requestMalformed: {
    what: t`Invalid form data`,
    why: t`Your browser sent too much data, or something other than a form. Nothing was changed.`,
    whatToDo: t`Open the page again and submit the form there.`,
  },
  cookiesTooLarge: (host: string) => ({
    what: t`Your browser sends too many cookies`,
    why: t`The cookies for ${host} are larger than 16 kB. They include those of other programs on this host, also on other ports.`,
    whatToDo: t`Delete the cookies for ${host} in your browser, or use a private window. Then open the page again.`,
  }),
  urlTooLong: {
    what: t`This URL is too long`,
    why: t`The URL and the cookies together can have 16 kB.`,
    whatToDo: t`Go back to the page that led here. If you develop it, shorten the URL.`,
  },
  unreadable: {
    what: t`Unreadable request`,
    why: t`What arrived is not valid HTTP. A proxy may have changed it.`,
    whatToDo: t`Open the page again. If it keeps happening, tell the operator.`,
  },
  fault: {
    what: t`Something went wrong`,
    why: t`An internal error occurred. It isn’t your fault.`,
    whatToDo: t`Try again. If it keeps happening, send the error ID to the operator.`,
  },
}
