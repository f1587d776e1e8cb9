import { t, type Words } from '../../../pages/html.ts'

export const usageWords = {
  users: (count: number): Words =>
    count === 1
      ? t.html`<strong>1</strong> user has given the application access.`
      : t.html`<strong>${count}</strong> users have given the application access.`,
  peak: (figure: number): Words => t`peak ${figure} per day`,
}
