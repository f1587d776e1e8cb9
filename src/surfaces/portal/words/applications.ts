import { t } from '../../../pages/html.ts'

export const listWords = {
  sorts: {
    newest: t`Newest first`,
    name: t`Name`,
    failed: t`Most failed requests`,
    used: t`Last activity`,
  },
}

export const registrationWords = {
  title: t`Register an application`,
}
