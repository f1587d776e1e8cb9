export const wellKnownPasswords: ReadonlySet<string> = new Set()
