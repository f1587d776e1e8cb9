import type { World } from './world.ts'

/** Returns the log's lines at level error or above. */
export function faultsIn(world: World): string[] {
  return world.logs().match(/^.*"level":(?:50|60).*$/gm) ?? []
}

/** Returns the log's lines with this message at level info or above, without the fields that every line has. */
export function linesOf(world: World, message: string): object[] {
  const lines = world.logs().trimEnd().split('\n')
  return lines
    .filter((line) => line.includes(JSON.stringify(message)))
    .map((line) => JSON.parse(line))
    .filter(({ msg, level }) => msg === message && level >= 30)
    .map(({ level, time, pid, hostname, msg, ...fields }) => fields)
}
