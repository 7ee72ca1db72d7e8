#!/usr/bin/env node
// Starts the `ns` of this platform, from the optional dependency that npm has installed.
"use strict";

const { spawn } = require("node:child_process");
const { accessSync, constants: { X_OK }, readFileSync } = require("node:fs");
const { constants } = require("node:os");
const { optionalDependencies } = require("../package.json");

function findProgram() {
  const platform = `${process.platform}-${process.arch}`;
  const name = Object.keys(optionalDependencies).find((dependency) => dependency.endsWith(`/${platform}`));
  if (name === undefined) {
    throw new Error(`there is no package for ${platform}; the packages are ${Object.keys(optionalDependencies).join(", ")}`);
  }
  try {
    const program = require.resolve(`${name}/bin/ns`);
    accessSync(program, X_OK);
    return program;
  } catch (error) {
    const reason = error.code === "MODULE_NOT_FOUND" ? "is not installed" : `cannot be started (${error.message})`;
    throw new Error(`the package \`${name}\` ${reason}; install \`neuroscript\` again, without \`--omit=optional\``);
  }
}

// Node.js 22.15 and later can become another program: then there is nothing to pass on.
function become(program, words) {
  // Node.js would print that the function is experimental.
  process.emitWarning = () => {};
  process.execve(program, [program, ...words], process.env);
}

function start(program, words) {
  const child = spawn(program, words, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]) {
    process.on(signal, () => isFromTerminal(signal) || child.kill(signal));
  }
  child.on("error", (error) => fail(error));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    // Stays where Node.js ignores the signal, such as SIGPIPE.
    process.exitCode = 128 + constants.signals[signal];
    process.kill(process.pid, signal);
  });
}

// A terminal sends its signals to every process in the foreground. The child must not get one twice: a second Ctrl-C
// within a second ends `ns` at once.
function isFromTerminal(signal) {
  if (signal !== "SIGINT" && signal !== "SIGQUIT") return false;
  // proc(5): state, parent, group, session, terminal, and the group in the foreground of the terminal.
  const stat = readFileSync("/proc/self/stat", "latin1");
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group === foreground;
}

function fail(error) {
  console.error(`ns: ${error.message}`);
  process.exit(1);
}

try {
  const program = findProgram();
  const run = process.execve === undefined ? start : become;
  run(program, process.argv.slice(2));
} catch (error) {
  fail(error);
}
