import { t, type Words } from '../../../pages/html.ts'

export const usageWords = {
  title: t`Usage`,
  about: t`The last 30 days, per UTC day. Only successful refreshes count.`,
  users: (count: number): Words =>
    count === 1
      ? t.html`<strong>1</strong> user has given the application access.`
      : t.html`<strong>${count}</strong> users have given the application access.`,
  grants: t`Grants`,
  refreshes: t`Refreshes`,
  errors: t`Failed requests`,
  today: t`today`,
  peak: (figure: number): Words => t`peak ${figure} per day`,
  seeFailed: t`See failed requests`,
  asTable: t`Figures per day`,
  day: t`Day`,
  nothing: t`No activity in these 30 days.`,
}

export const activityWords = {
  heading: t`Activity`,
  kept: t`Actions by you, your users and the application itself, kept for 400 days. Users’ IP addresses and browsers are not shown.`,
  nothing: t`No earlier activity`,
  nothingMeans: t`Grants, revocations and changes appear here.`,
}
