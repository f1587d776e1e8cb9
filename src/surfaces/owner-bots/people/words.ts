import { t } from '../../../pages/html.ts'

/** Text for invitation pages, both for the bot's owner and for recipients. */
export const invitationWords = {
  form: {
    about: t`The link expires after 7 days and works for one person. They get access only after you confirm them.`,
  },
  refused: {
    unknown: {
      what: t`This invitation is not valid`,
      why: t`It was used or revoked, has expired, or the link is incomplete.`,
      whatToDo: t`Ask the bot’s owner for a new invitation.`,
    },
    worksAlready: {
      what: t`You already have access to this bot`,
      why: t`The invitation is for someone else and is still valid.`,
      whatToDo: t`Forward the link to that person.`,
    },
  },
}
