import { type Text, t, type Words } from '../../../pages/html.ts'

/** Text for the pages about a bot's collaborators. */
export const coworkerWords = {
  notAdded: t`Collaborator not added`,
  alone: t`No collaborators yet.`,
  nobodyElse: t`This bot has no collaborators.`,
  caption: t`Collaborators, sorted by name`,
  person: t`Person`,
  role: t`Role`,
  capabilities: t`Extra permissions`,
  capabilitiesHint: t`In addition to what the role allows.`,
  change: t`Change`,
  remove: t`Remove`,
  leave: t`Leave bot`,
  add: {
    title: t`Add a collaborator`,
    about: t`Enter the user ID or confirmed email address of a user. They get access immediately. For anyone else, create an invitation.`,
    who: t`Email address or user ID`,
    submit: t`Add collaborator`,
  },
  errors: {
    whoMissing: t`Enter an email address or a user ID.`,
    tooManyMisses: (wait: Text): Words => t`You entered too many unknown IDs or addresses. Try again in ${wait}.`,
    notFound: t`No user has this user ID or confirmed email address. Check it, or create an invitation.`,
    already: t`This user is already a collaborator. Change their permissions in the list.`,
  },
  changePage: {
    title: (person: string, bot: string): Words => t`Permissions of ${person} for ${bot}`,
    heading: (person: string): Words => t`Permissions of ${person}`,
    save: t`Save permissions`,
  },
  removal: {
    leaveTitle: (bot: string): Words => t`Leave ${bot}?`,
    title: (person: string, bot: string): Words => t`Remove ${person} from ${bot}?`,
    leaveEffect: t`You lose access immediately. Only the owner can add you again.`,
    effect: (person: string): Words =>
      t`${person} loses access immediately. Applications that use the bot on this user’s behalf lose access, too.`,
    stay: t`Keep access`,
    keep: t`Keep collaborator`,
  },
}

/** Text for invitation pages, both for the bot's owner and for recipients. */
export const invitationWords = {
  create: t`Create invitation`,
  list: {
    title: t`Invitations`,
    caption: t`Open invitations`,
    for: t`For`,
    state: t`State`,
    actions: t`Actions`,
    notUsed: t`Not accepted yet`,
    expires: (when: Text): Words => t`Expires ${when}`,
    acceptedBy: t`Accepted by`,
    noEmail: t`No email address`,
    confirmed: t`Email confirmed`,
    notConfirmed: t`Email not confirmed`,
    confirm: t`Confirm`,
    decline: t`Decline`,
    revoke: t`Revoke`,
  },
  form: {
    title: (bot: string): Words => t`Invite someone to ${bot}`,
    about: t`The link expires after 7 days and works for one person. They get access only after you confirm them.`,
    label: t`Recipient`,
    labelHint: t`A name or an email address. Only you see it.`,
    notCreated: t`Invitation not created`,
  },
  created: {
    title: t`Invitation created`,
    link: t`Invitation link`,
    copyNow: t`Copy the link now and send it to the person. It is shown only once.`,
    back: t`View collaborators`,
  },
  /** Text for the recipient of an invitation link. */
  open: {
    title: (bot: string): Words => t`Invitation to ${bot}`,
    invites: (owner: string, bot: string): Words => t`${owner} invites you to work on ${bot}.`,
    role: t`Role`,
    capabilities: t`Extra permissions`,
    youAre: (name: string): Words => t`You are signed in as ${name}.`,
    shown: t`If you accept, the owner sees your name, email address and user ID, and must then confirm you.`,
    accept: t`Accept invitation`,
    decline: t`Decline invitation`,
    waits: t`Invitation accepted. You get access when the owner confirms you.`,
    withdraw: t`Withdraw acceptance`,
  },
  declined: {
    title: t`Invitation declined`,
    body: t`The link no longer works.`,
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
