#pragma once
#include <microhttpd.h>
#include <stdarg.h>
#include <sys/socket.h>

// Swift cannot call variadic functions: the few that are needed, in plain form.

/// Starts a daemon of event threads without a listener: it is given connected sockets.
static inline struct MHD_Daemon *
mhd_start(unsigned int threads, unsigned int connections, size_t memory_bytes,
          void *context, MHD_AccessHandlerCallback access,
          void *(*target)(void *, const char *, struct MHD_Connection *),
          size_t (*unescape)(void *, struct MHD_Connection *, char *),
          MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connection)
{
    unsigned int flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME |
        MHD_USE_NO_LISTEN_SOCKET;
    struct MHD_OptionItem pool[2] = {
        { MHD_OPTION_THREAD_POOL_SIZE, (intptr_t) threads, NULL }, { MHD_OPTION_END, 0, NULL }
    };
    if (threads < 2)
        pool[0].option = MHD_OPTION_END;
    return MHD_start_daemon(flags, 0, NULL, NULL, access, context,
                            MHD_OPTION_CONNECTION_LIMIT, connections,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory_bytes,
                            MHD_OPTION_URI_LOG_CALLBACK, target, context,
                            MHD_OPTION_UNESCAPE_CALLBACK, unescape, context,
                            MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                            MHD_OPTION_NOTIFY_CONNECTION, connection, context,
                            MHD_OPTION_ARRAY, pool,
                            MHD_OPTION_END);
}

/// The bytes of the request's head, from the method to the blank line.
static inline size_t
mhd_head_bytes(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/// What was stored for the connection when it began.
static inline void *
mhd_connection_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/// The connection's descriptor, or -1.
static inline int
mhd_descriptor(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// The peer's address.
static inline const struct sockaddr *
mhd_peer(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}
