import { createServer, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Config, readConfig } from '../../config/config.ts'
import { systemClock } from '../../domain/clock.ts'
import { isLocked } from '../data-directory.ts'
import { otherOwner } from '../data-owner.ts'
import { exitCodes } from '../start-fault.ts'
import { examineClock } from './clock.ts'
import { examineData, examineDisk } from './data.ts'
import { examineDatabase } from './database.ts'
import { type Finding, fault } from './finding.ts'
import { examineKeyOfFile, examineKeys } from './keys.ts'
import { examineService, occupyPorts, type ProbedSurface } from './ports.ts'
import { examineProxy, examinePublicUrls } from './proxy.ts'
import { examineSettings, publicSurfaces } from './settings.ts'

/**
 * `gatehouse doctor`: checks the service's environment and prints each finding with its remedy. Changes nothing,
 * whether or not the service is running. Resolves with 0, with 78 if a setting is invalid, or with 1 for any other
 * fault.
 */
export async function doctor(): Promise<number> {
  const reading = readConfig()
  if ('faults' in reading) {
    for (const { message } of reading.faults) {
      print(
        fault(
          'settings',
          message,
          'correct it in the environment of the service; docs/operations.md lists all settings',
        ),
      )
    }
    return exitCodes.configuration
  }
  const foreign = otherOwner(reading.config.dataDir)
  if (foreign !== undefined) {
    // Opening another user's databases might leave files behind that the service can't use.
    print(fault('data', foreign, 'run doctor and all other commands as the service user'))
    return exitCodes.failed
  }
  let faults = 0
  for await (const findings of examine(reading.config)) {
    // The reader of the output is gone, for example because the output was piped to `head`.
    if (process.stdout.destroyed) break
    for (const finding of findings) {
      print(finding)
      if (finding.level === 'fault') faults += 1
    }
  }
  return faults === 0 ? exitCodes.ok : exitCodes.failed
}

async function* examine(config: Config): AsyncGenerator<readonly Finding[]> {
  yield examineSettings(config)
  yield examineKeys(config, config.databaseUrls === undefined ? await examineKeyOfFile(config) : [])
  if (config.databaseUrls === undefined) {
    yield examineData(config)
    yield examineDisk(config)
  }
  yield await databaseOf(config)
  yield await examineClock(config, systemClock)
  if (isLocked(config.dataDir)) {
    yield await examineService(config)
    yield await examinePublicUrls(config)
    return
  }
  const probed = [...publicSurfaces(config), { name: 'CONTROL', address: config.control }].map((surface) => ({
    ...surface,
    server: probe(),
  }))
  const { findings, release } = await occupyPorts(probed)
  try {
    yield findings
    yield await examineProxy(config, probed.filter(isPublicProbe))
  } finally {
    release()
  }
}

/** Creates a server that accepts any request. It takes the place of the stopped service for a short time. */
function probe(): Server {
  const server = createServer((_request, response) => response.end())
  return server.on('upgrade', (_request, socket: Duplex) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
}

/** Excludes the control surface, which is not public, and ports that another program holds. */
function isPublicProbe({ name, server }: ProbedSurface): boolean {
  return name !== 'CONTROL' && server.listening
}

function print(finding: Finding): void {
  const lines = [`${finding.level.padEnd(7)}  ${finding.about.padEnd(8)}  ${finding.summary}`]
  if (finding.level !== 'ok') lines.push(`${' '.repeat(19)}remedy: ${finding.remedy}`)
  process.stdout.write(`${lines.join('\n')}\n`)
}

async function databaseOf(config: Config): Promise<readonly Finding[]> {
  if (config.databaseUrls === undefined) return examineDatabase(config)
  const { examineDatabaseServer } = await import('./database-server.ts')
  return examineDatabaseServer(config, config.databaseUrls)
}
