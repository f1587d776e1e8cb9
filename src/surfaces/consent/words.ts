import { t } from '../../pages/html.ts'

/** Text for the consent endpoint's error pages. */
export const consentFaultWords = {
  whatToDo: t`Nothing was shared. Go back to the application. If you develop it, correct the link.`,
  unknown: {
    what: t`Sign-in not found`,
    why: t`It may have expired, or the URL is incomplete. Nothing was shared.`,
    whatToDo: t`Go back to the application and start again.`,
  },
}
