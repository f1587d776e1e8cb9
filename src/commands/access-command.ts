import { parseApplicationId, parseUserId } from '../domain/ids.ts'

const actions = {
  user: ['export', 'delete', 'disable', 'enable', 'end-sessions', 'revoke-tokens'],
  application: ['delete', 'disable', 'enable', 'revoke-tokens'],
} as const
const parseId = { user: parseUserId, application: parseApplicationId }

/** A parsed `gatehouse user` or `gatehouse application` command. */
export interface AccessCommand {
  name: keyof typeof actions
  action: (typeof actions)[keyof typeof actions][number]
  id: string
  /** The option `--cascade`, which only `user delete` takes. */
  cascade: boolean
}

/** Returns how to call the command, for the help and for errors. */
export function accessUsage(name: AccessCommand['name']): string {
  return `gatehouse ${name} <${actions[name].join('|')}> <${name} ID>`
}

export function isAccessCommand(name: string): name is AccessCommand['name'] {
  return Object.hasOwn(actions, name)
}

/** Parses the words after the command's name. Returns an error message if they don't form a command. */
export function parseAccessCommand(
  name: AccessCommand['name'],
  words: readonly string[],
  cascade: boolean,
): AccessCommand | string {
  const [word, id, ...more] = words
  const action = actions[name].find((known) => known === word)
  if (action === undefined || id === undefined || more.length > 0) return `Expected: ${accessUsage(name)}.`
  if (parseId[name](id) === undefined) return `${JSON.stringify(id)} can't be an ID.`
  if (cascade && action !== 'delete') return `user ${action} takes no --cascade.`
  return { name, action, id, cascade }
}
