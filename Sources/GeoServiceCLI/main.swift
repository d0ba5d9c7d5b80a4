import Glibc

// A client that goes away must not end the process.
signal(SIGPIPE, SIG_IGN)

let arguments = Array(CommandLine.arguments.dropFirst())
exit(Command.run(arguments))
